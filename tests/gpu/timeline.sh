#!/bin/sh
# `kseek timeline` on a machine with a GPU: programs that know what they do, traced,
# and the figures held against what they say.
#
#   timeline.sh BUNDLE [OUT]
#
# BUNDLE is what bundle.sh made (or any prefix with kseek in bin). Needs nvcc and
# Python. Prints a line a check; reports and records go to OUT (./timeline-out).
set -u

here=$(cd "$(dirname "$0")" && pwd)
bundle=$(cd "${1:?usage: timeline.sh BUNDLE [OUT]}" && pwd)
kseek=$bundle/bin/kseek
out=${2:-timeline-out}
mkdir -p "$out"
out=$(cd "$out" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-timeline-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
began=$(date +%s)
bad=0

say() {
	printf '%s\n' "$*" | tee -a "$out/summary.txt"
}

row() {
	if [ "$1" = 0 ]; then
		say "$(printf 'ok     %-34s %s' "$2" "$3")"
	else
		say "$(printf 'FAILED %-34s %s' "$2" "$3")"
		bad=$((bad + 1))
	fi
}

# traced NAME STATUS OPTIONS... -- COMMAND: JSON to NAME.json, its prints to NAME.err
traced() {
	name=$1
	expected=$2
	shift 2
	timeout 60 "$kseek" timeline --json --top 0 "$@" >"$out/$name.json" 2>"$out/$name.err"
	got=$?
	test "$got" = "$expected"
	row $? "$name: exit status" "$got $([ "$got" = "$expected" ] || tail -n 1 "$out/$name.err")"
}

# holds NAME WHAT EXPRESSION: of Python, over j (the report), g (its first GPU) and
# said (what the program printed)
holds() {
	text=$(python3 - "$out/$1.json" "$out/$1.err" "$3" 2>&1 <<'END'
import json, re, sys
j = json.load(open(sys.argv[1]))
g = j["gpus"][0] if j["gpus"] else {}
said = {k: float(v) for k, v in re.findall(r"(?m)^(\w+)=([\d.]+)$", open(sys.argv[2]).read())}
def only(rows, word):
    return [r for r in rows if word in r.get("full_name", r["name"])]
def total(rows, key):
    return sum(r[key] for r in rows)
parts = sys.argv[3].split(";")
values = [eval(p) for p in parts]
print(" ".join(str(round(v, 3) if isinstance(v, float) else v) for v in values[1:]))
sys.exit(0 if values[0] else 1)
END
	)
	row $? "$1: $2" "$(printf '%s' "$text" | tail -n 1)"
}

"$nvcc" -O2 -std=c++17 -gencode=arch=compute_90a,code=sm_90a "$here/timeline.cu" \
	-o "$work/timeline" >"$out/nvcc.txt" 2>&1 || {
	row 1 "nvcc" "$(tail -n 1 "$out/nvcc.txt")"
	exit 1
}
prog=$work/timeline
: >"$out/summary.txt"
{
	date -u
	nvidia-smi --query-gpu=name,driver_version,clocks.sm --format=csv,noheader
	ldd "$bundle/libexec/kseek/libkseek-timeline.so"
} >"$out/machine.txt" 2>&1

traced work 0 --raw "$out/work.rec" -- "$prog" work
holds work "kernels" 'only(j["kernels"], "spin")[0]["count"] == said["kernels"]; g["kernels"]'
holds work "their time" 'abs(total(only(j["kernels"], "spin"), "total_us") / said["spun_us"] - 1) < 0.05; total(only(j["kernels"], "spin"), "total_us")'
holds work "short names" 'j["kernels"][0]["name"] == "spin"; j["kernels"][0]["full_name"]'
holds work "copies up" 'total(only(j["copies"], "host to device, pinned"), "bytes") == said["up_bytes"]; [c["name"] for c in j["copies"]]; total(only(j["copies"], "pinned"), "gb_per_s")'
holds work "copies down" 'total(only(j["copies"], "device to host"), "bytes") == said["down_bytes"]; total(only(j["copies"], "device to host"), "gb_per_s")'
holds work "fills" 'total(j["fills"], "count") == said["fills"] and total(j["fills"], "bytes") == 128 << 20; total(j["fills"], "gb_per_s")'
holds work "gaps of 5 ms" 'len([x for x in j["gaps"] if x["us"] > 4900]) == said["sleeps"]; [round(x["us"]) for x in j["gaps"][:4]]'
holds work "nobody called in them" 'all(x["away_us"] > 4900 for x in j["gaps"][:3]); [round(x["away_us"]) for x in j["gaps"][:3]]'
holds work "two at once" '1800 < g["together_us"] < 2100; g["together_us"]'
holds work "streams" 'len(j["streams"]) >= 2; [(s["stream"], s["kernels"]) for s in j["streams"]]'
holds work "launches among the calls" 'only(j["calls"], "cudaLaunchKernel")[0]["count"] == said["kernels"]; [c["name"] for c in j["calls"][:6]]'
holds work "no driver calls beside" 'not only(j["calls"], "cuLaunchKernel"); len(j["calls"])'
holds work "parts make the whole" 'abs(g["busy_us"] + g["idle_us"] - g["span_us"]) < 0.01 and g["unknown_us"] == 0; g["span_us"]; g["busy_us"]; g["bound"]'
holds work "nothing is missing" 'all(p["ended"] and p["lost"] + p["over"] + p["bad"] + p["unfinished"] == 0 for p in j["processes"]); j["processes"]'
COLUMNS=80 "$kseek" timeline --read "$out/work.rec" >"$out/work.txt" 2>&1
row $? "work: read back" "$(wc -l <"$out/work.txt") lines"
"$kseek" timeline --read "$out/work.rec" --json --last 3 >"$out/last.json" 2>"$out/last.err"
holds last "only the end" '2 <= g["kernels"] < 22 and g["copies"] == 0; g["kernels"]; j["from_us"]'

"$prog" many 200000 >"$work/plain"
plain=$(sed -n 's/us_a_launch=//p' "$work/plain")
traced many 0 --raw "$work/many.rec" -- "$prog" many 200000
holds many "200000 launches" 'g["kernels"] == 200000; j["processes"]'
holds many "bound by launches" 'g["bound"] == "launches"; g["busy_us"] / g["span_us"]; g["asked_us"] / g["asked"]; g["short_kernels"]'
say "       us a launch: plain $plain, traced $(sed -n 's/us_a_launch=//p' "$out/many.err"); records $(wc -c <"$work/many.rec") bytes"
"$kseek" timeline --read "$work/many.rec" >"$out/many.txt" 2>&1
traced limit 0 --max 1000 -- "$prog" many 20000
holds limit "counts what it leaves out" 'j["processes"][0]["over"] > 38000; j["processes"]'

traced graph 0 -- "$prog" graph
holds graph "fifty kernels, five calls" 'g["kernels"] == 50 and g["asked"] == 5; g["kernels"]; g["asked"]; g["bound"]'
traced die 3 -- "$prog" die
holds die "what came before" 'only(j["kernels"], "empty")[0]["count"] == 100; j["processes"]; total(j["calls"], "failed")'
traced die-now 3 -- "$prog" die-now
holds die-now "says what is missing" 'g.get("kernels", 0) + j["processes"][0]["unfinished"] >= 100; g.get("kernels"); j["processes"]; total(j["calls"], "failed")'
traced segv 139 -- "$prog" segv
holds segv "all kernels" 'g["kernels"] == 100 and j["processes"][0]["ended"]; j["processes"]'
traced _exit 7 -- "$prog" _exit
holds _exit "all kernels" 'g["kernels"] == 100 and j["processes"][0]["ended"]; j["processes"]'
traced kill 137 -- "$prog" kill
holds kill "all kernels" 'g["kernels"] == 100 and not j["processes"][0]["ended"]; j["processes"]'
traced async 0 -- "$prog" async
holds async "says so" 'j["processes"][0]["ended"]; j["processes"]; g.get("kernels")'
traced two 0 -- sh -c "'$prog' graph; '$prog' graph"
holds two "two processes" 'len(j["processes"]) == 2 and j["kernels"][0]["count"] == 100; len(j["gpus"])'
"$kseek" timeline -- true >"$work/none" 2>&1
test $? = 3 && grep -q 'never started CUDA' "$work/none"
row $? "none: no CUDA" "$(cat "$work/none")"

# Programs of others, as far as they are there.
has() {
	python3 -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('$1') is None)"
}
if has torch; then
	cat >"$work/loop.py" <<'END'
import os, sys, torch
if sys.argv[1] == "forked" and os.fork() != 0:
    os.wait()
    sys.exit(0)
a = torch.randn(2048, 2048, device="cuda", dtype=torch.bfloat16)
torch.cuda.synchronize()
for _ in range(20):
    b = torch.relu(a @ a)
torch.cuda.synchronize()
os._exit(0)
END
	for how in plain forked; do
		traced "torch-$how" 0 --raw "$work/$how.rec" -- python3 "$work/loop.py" "$how"
		holds "torch-$how" "forty kernels in the loop" 'len([k for k in j["kernels"] if k["count"] == 20]) == 2 and j["processes"][0]["ended"]; [(k["name"][:30], k["count"]) for k in j["kernels"][:3]]; j["processes"]'
	done
	COLUMNS=80 "$kseek" timeline --read "$work/plain.rec" --top 5 >"$out/torch.txt" 2>&1
fi
if has cupy; then
	cat >"$work/array.py" <<'END'
import cupy
a = cupy.ones(1 << 20, dtype=cupy.float32)
for _ in range(10):
    b = (a * 2).sum()
print("sum=%d" % b.get())
END
	traced cupy 0 -- python3 "$work/array.py"
	holds cupy "twenty launches by the driver" 'g["kernels"] >= 20 and only(j["calls"], "cuLaunchKernel"); g["kernels"]; [(k["name"][:30], k["count"]) for k in j["kernels"][:4]]; [(c["name"], c["count"]) for c in j["calls"][:8]]'
fi
say "$bad failed, $(($(date +%s) - began)) s"
[ "$bad" = 0 ]
