#!/bin/sh
# How well the evaluator measures on a GPU. Appends one JSON line a part to RESULTS
# (docs/measurements/gpu.jsonl) and prints a table.
#
#   measure.sh PROGRAMS RESULTS aa N       the seed against itself, N evaluations
#   measure.sh PROGRAMS RESULTS power N    2 % at 50 and 500 us, 1 us of the shortest
#                                          call, N tries of each
#   measure.sh PROGRAMS RESULTS agree      the ratio against a plain measurement
#
# Runs add up: the tables count all lines of RESULTS.
#
# BUDGET_MS: of an evaluation's timing (default 4000; a try of power has 1500).
# PROGRAMS as for selftest.sh.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "${1:?PROGRAMS}" && pwd)
results=${2:?RESULTS}
part=${3:?aa, power or agree}
tries=${4:-10}
budget=${BUDGET_MS:-4000}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-measure-XXXXXX")
trap 'rm -rf "$work"' EXIT
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
mkdir -p "$work/problem/sets" "$work/scratch" "$(dirname "$results")"
cp "$here/problem/definition.json" "$work/problem/"
: >"$work/problem/sets/sizes.jsonl"

build() { # NAME FLAGS...
	name=$1
	shift
	"$nvcc" -O3 -gencode=arch=compute_90a,code=sm_90a -shared -cudart=shared \
		--compress-mode=none -diag-suppress=177 "$@" \
		-Xcompiler=-fPIC,-fvisibility=default,-fno-common,-frandom-seed=kseek,-nostartfiles \
		"$here/problem/kernel.cu" -Xlinker=-z,now,-z,relro,-z,noexecstack,-z,defs \
		-Xlinker=-Bsymbolic,--build-id=none,--defsym=__dso_handle=0 -o "$work/$name.so"
}

scenario() { # NAME N ALPHA
	printf '{"uuid": "%s", "axes": {"n": %s}, "inputs": {"alpha": {"type": "scalar", "value": %s}}}\n' \
		"$1" "$2" "$3" >>"$work/problem/sets/sizes.jsonl"
}

judge() { # SEED CANDIDATE BUDGET [SCENARIOS]: lines in $work/lines, took_ms
	cat >"$work/job.json" <<END
{"v":1,"problem":"$work/problem","target":"cuda","cuda":"$programs/libkseek-cuda.so",
 "seed":"$work/$1.so","reference":"$work/$1.so","candidate":"$work/$2.so",
 "worker":"$programs/kseek-worker","scratch":"$work/scratch","scenarios":${4:-null},
 "key":"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')","workers":4,"half_width":0.005,
 "budget_ms":$3,"limits":{"call_ms":10000,"mem_mb":8192},
 "probe":{"bandwidth_gbs":4000,"fma_gflops":{"float32":60000},"call_ns":4000}}
END
	started=$(date +%s%N)
	timeout 60 "$programs/kseek-judge" "$work/job.json" >"$work/lines" 2>"$work/err" || true
	took_ms=$((($(date +%s%N) - started) / 1000000))
	if ! grep -q '"type":"done"' "$work/lines"; then
		cat "$work/lines" "$work/err" >&2
		exit 1
	fi
}

field() { # NAME: its number in each scenario's line
	sed -n "s/.*\"type\":\"scenario\".*\"$1\":\"\{0,1\}\([-a-z0-9.e+]*\).*/\1/p" "$work/lines"
}

# keep MEMBERS: one line of results
keep() {
	gpu=$(nvidia-smi --query-gpu=name,driver_version,clocks.sm,temperature.gpu \
		--format=csv,noheader 2>/dev/null | head -n 1)
	printf '{"date":"%s","part":"%s","gpu":"%s",%s}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$part" \
		"$gpu" "$1" >>"$results"
}

all_sizes() {
	scenario launch 65536 0
	for ms in 0.005 0.015 0.03 0.06 0.1 0.25 0.6 1.5 4.8; do
		scenario "idle-$ms-ms" 65536 "$ms"
	done
}

aa() {
	all_sizes
	build SEED -DFORM=DELAY
	i=0
	while [ "$i" -lt "$tries" ]; do
		cp "$work/SEED.so" "$work/SAME.so"
		judge SEED SAME "$budget"
		geomean=$(sed -n 's/.*"type":"done".*"geomean":\([0-9.e+-]*\).*/\1/p' "$work/lines")
		verdicts=$(field verdict | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')
		keep "\"geomean\":${geomean:-0},\"took_ms\":$took_ms,\"verdicts\":\"$verdicts\",\"speedups\":[$(field speedup | paste -sd, -)],\"seed_us\":[$(field seed_us | paste -sd, -)]"
		echo "aa $i: geomean ${geomean:-none}, $verdicts, $took_ms ms"
		i=$((i + 1))
	done
	awk '/"part":"aa"/ {
		n++
		match($0, /"geomean":[0-9.e+-]+/)
		g = substr($0, RSTART + 10, RLENGTH - 10) + 0
		off = g > 0 ? (g > 1 ? g - 1 : 1 / g - 1) : 1
		worst = off > worst ? off : worst
		sum += log(g > 0 ? g : 1)
		match($0, /"took_ms":[0-9]+/)
		ms = substr($0, RSTART + 10, RLENGTH - 10) + 0
		slow = ms > slow ? ms : slow
		v = $0
		sub(/.*"verdicts":"/, "", v)
		sub(/".*/, "", v)
		k = split(v, part, /, /)
		for (j = 1; j <= k; j++) {
			split(part[j], w, " ")
			all += w[1]
			if (w[2] != "same") {
				wrong += w[1]
			}
		}
	} END {
		printf "A/A in all: %d evaluations, mean of geomeans %.5f, worst off by %.3f %%, %d of %d verdicts not \"same\", slowest %d ms\n",
			n, n ? exp(sum / n) : 0, 100 * worst, wrong, all, slow
	}' "$results"
}

power() {
	scenario fifty 65536 0.035
	scenario half 65536 0.5
	scenario shortest 65536 0.001
	build SEED -DFORM=DELAY
	build CUT2 -DFORM=DELAY -DCUT=20
	build NONE -DFORM=DELAY -DCUT=1000 # nothing is idled
	i=0
	while [ "$i" -lt "$tries" ]; do
		for name in fifty half; do
			judge SEED CUT2 1500 "[\"$name\"]"
			keep "\"what\":\"2 % at $name\",\"verdict\":\"$(field verdict)\",\"speedup\":$(field speedup),\"lo\":$(field lo),\"hi\":$(field hi),\"seed_us\":$(field seed_us),\"took_ms\":$took_ms"
		done
		judge SEED NONE 1500 '["shortest"]'
		keep "\"what\":\"1 us less in the shortest call\",\"verdict\":\"$(field verdict)\",\"speedup\":$(field speedup),\"lo\":$(field lo),\"hi\":$(field hi),\"seed_us\":$(field seed_us),\"took_ms\":$took_ms"
		i=$((i + 1))
	done
	awk '/"part":"power"/ {
		w = $0
		sub(/.*"what":"/, "", w)
		sub(/".*/, "", w)
		n[w]++
		found[w] += /"verdict":"faster"/
		match($0, /"took_ms":[0-9]+/)
		ms = substr($0, RSTART + 10, RLENGTH - 10) + 0
		slow[w] = ms > slow[w] ? ms : slow[w]
		match($0, /"speedup":[0-9.]+/)
		sum[w] += substr($0, RSTART + 10, RLENGTH - 10)
	} END {
		for (w in n) {
			printf "power, %s: found in %d of %d, mean speedup %.4f, slowest %d ms\n", w, found[w], n[w], sum[w] / n[w], slow[w]
		}
	}' "$results"
}

agree() {
	for n in 4099 262144 1048576 8388608 33554432; do
		scenario "passes-$n" "$n" 0
	done
	for ms in 0.01 0.03 0.1 0.4 1.5; do
		scenario "idle-$ms" 65536 "$ms"
	done
	build SEED -DFORM=SEED
	build ONE -DFORM=ONE
	build LONG -DFORM=DELAY
	build CUT10 -DFORM=DELAY -DCUT=100
	"$nvcc" -O2 -cudart=shared "$here/plain.cu" -ldl -o "$work/plain"
	lib=$(dirname "$(dirname "$nvcc")")/lib64
	off=0
	while IFS= read -r line; do
		name=$(printf '%s' "$line" | sed 's/.*"uuid": "\([^"]*\)".*/\1/')
		n=$(printf '%s' "$line" | sed 's/.*"n": \([0-9]*\).*/\1/')
		alpha=$(printf '%s' "$line" | sed 's/.*"value": \([0-9.]*\).*/\1/')
		case $name in passes*) pair='SEED ONE' ;; *) pair='LONG CUT10' ;; esac
		set -- $pair
		pairs=$(awk "BEGIN { p = 3e6 / (2 * ($alpha * 1000 + 100 + $n / 1e5)); print int(p < 300 ? 300 : p > 4000 ? 4000 : p) }")
		plain=$(LD_LIBRARY_PATH="$lib:${LD_LIBRARY_PATH:-}" "$work/plain" "$work/$1.so" "$work/$2.so" "$n" "$alpha" "$pairs")
		judge "$1" "$2" 3000 "[\"$name\"]"
		ratio=$(field speedup)
		keep "\"scenario\":\"$name\",\"judge\":${ratio:-0},\"lo\":$(field lo),\"hi\":$(field hi),\"judge_seed_us\":$(field seed_us),\"plain\":\"$plain\",\"pairs\":$(field pairs)"
		printf 'agree %-18s judge %s (seed %s us), plain %s\n' "$name" "$ratio" "$(field seed_us)" "$plain"
	done <"$work/problem/sets/sizes.jsonl"
}

case $part in
aa | power | agree) "$part" ;;
*)
	echo "measure.sh: $part: aa, power or agree" >&2
	exit 2
	;;
esac
