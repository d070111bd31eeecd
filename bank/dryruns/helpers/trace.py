"""The timeline of some calls of a CUDA kernel, by the profiler of PyTorch.

usage: trace.py KERNEL.so SYMBOL M N K

Calls SYMBOL (a, b, c, elem, m, n, k, stream), float32, and prints lines
"name figure", each per call in steady state; times in us.
"""
import ctypes
import json
import os
import sys
import tempfile
import time

import torch
from torch.profiler import ProfilerActivity, profile

CALLS = 20


def main():
    path, symbol = sys.argv[1:3]
    m, n, k = (int(v) for v in sys.argv[3:6])
    call = getattr(ctypes.CDLL(path), symbol)
    torch.manual_seed(1)
    a = torch.randn(m, k, device="cuda")
    b = torch.randn(k, n, device="cuda")
    c = torch.empty(m, n, device="cuda")
    stream = torch.cuda.current_stream().cuda_stream
    args = [ctypes.c_void_p(t.data_ptr()) for t in (a, b, c)]
    args += [ctypes.c_int32(0)] + [ctypes.c_int64(v) for v in (m, n, k)]
    args += [ctypes.c_void_p(stream)]

    def once():
        if call(*args) != 0:
            sys.exit("trace.py: the kernel failed")

    torch.cuda.synchronize()
    t = time.perf_counter()
    once()
    torch.cuda.synchronize()
    first = (time.perf_counter() - t) * 1e6
    for _ in range(20):
        once()
    torch.cuda.synchronize()
    walls = []
    for _ in range(200):
        t = time.perf_counter()
        once()
        torch.cuda.synchronize()
        walls.append((time.perf_counter() - t) * 1e6)
    wall = sorted(walls)[len(walls) // 2]
    t = time.perf_counter()
    for _ in range(200):
        once()
    torch.cuda.synchronize()
    stream_us = (time.perf_counter() - t) * 1e6 / 200
    show(trace(once), wall, first, stream_us)


def trace(once):
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        once()  # the profiler's own start falls on this one
        torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
        for _ in range(CALLS):
            once()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "trace.json")
        prof.export_chrome_trace(name)
        with open(name) as file:
            return json.load(file)["traceEvents"]


def show(events, wall, first, stream_us):
    def of(*kinds):
        return [e for e in events if e.get("cat") in kinds and "dur" in e]

    def size(rows):
        return sum(int(e.get("args", {}).get("bytes", 0)) for e in rows)

    kernels = sorted(of("kernel"), key=lambda e: e["ts"])
    api = of("cuda_runtime", "cuda_driver")
    copies, fills = of("gpu_memcpy"), of("gpu_memset")
    device = sorted(kernels + copies + fills, key=lambda e: e["ts"])
    busy = sum(e["dur"] for e in kernels) / CALLS
    gaps = [b["ts"] - a["ts"] - a["dur"] for a, b in zip(device, device[1:])]
    last = max((e["ts"] for e in api if "Launch" in e["name"]), default=0)
    waits = [e for e in api if "Synchronize" in e["name"] and e["ts"] < last]
    allocations = [e for e in api if any(w in e["name"] for w in ("Malloc", "Free", "MemAlloc"))]
    launches = [e for e in api if "Launch" in e["name"]]
    names = sorted({e["name"] for e in kernels})
    print("kernels_per_call %g" % (len(kernels) / CALLS))
    print("kernel_us %.4f" % busy)
    print("wall_us %.4f" % wall)
    print("first_us %.4f" % first)
    print("stream_us %.4f" % stream_us)
    print("idle_us %.4f" % (wall - busy))
    print("gap_us %.4f" % (sum(g for g in gaps if g > 0) / max(len(gaps), 1)))
    print("copied_bytes %g" % (size(copies) / CALLS))
    print("filled_bytes %g" % (size(fills) / CALLS))
    print("waits %g" % (len(waits) / CALLS))  # this script's own comes last
    print("allocations %g" % (len(allocations) / CALLS))
    print("launch_us %.4f" % (sum(e["dur"] for e in launches) / CALLS))
    print("api_us %.4f" % (sum(e["dur"] for e in api if "Synchronize" not in e["name"]) / CALLS))
    print("kernel_names %d" % len(names))
    for name in names:
        print("name: %s" % name[:120])


main()
