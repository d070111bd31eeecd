#!/bin/sh
# Everything that the evaluator is held to on a GPU, one entry for all of it.
#
#   tests/gpu/run.sh [--programs DIR] [--out DIR] [--seconds N] [--only ROWS] PART...
#
#   selftest     contents, comparison, guards, and what a judge has to survive
#   gallery      candidates that cheat, and honest ones that look alike
#   aa N         the seed against itself over ten lengths of call, until N
#                evaluations of $BUDGET_MS and $WORKERS are recorded (7600 and 8:
#                a campaign's, src/engine/job.c)
#   power N      2 % of 50 and of 500 us and 5 % of the shortest call are left out:
#                how often is that found? until N tries of each are recorded
#   agree        the judge's ratio against a plain measurement, ten pairs of kernels
#   phases       where the time of an evaluation goes
#   overhead     what a short call takes with each guard off, and in a plain process
#   leans N      N times the seed against itself, every call told, in calls.jsonl
#   summary      what is recorded so far; the other parts end with it
#   all          selftest, gallery, agree, power 100, aa 200
#
# --programs: kseek-judge, kseek-worker, libkseek-cuda.so, selftest, guards, gallery;
#   default: the bundle's, build-gpu/bundle/libexec/kseek.
# --out: where logs and new lines of gpu.jsonl go; default: logs to ./gpu-out, lines
#   to docs/measurements/gpu.jsonl. What is recorded there counts in both cases, so
#   that a run goes on where the last one stopped.
# --only: of the gallery, NAME,NAME...; its line is not recorded then.
# --seconds: nothing is begun that would not end in that time.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
programs=$root/build-gpu/bundle/libexec/kseek
recorded=$root/docs/measurements/gpu.jsonl
results=$recorded
out=gpu-out
seconds=1000000
only=
while [ $# -gt 0 ]; do
	case $1 in
	--programs) programs=$2; shift 2 ;;
	--out) out=$2; results=$2/gpu.jsonl; shift 2 ;;
	--seconds) seconds=$2; shift 2 ;;
	--only) only=$2; shift 2 ;;
	*) break ;;
	esac
done
[ $# -gt 0 ] || { sed -n '2,25s/^# \{0,1\}//p' "$0" >&2; exit 2; }
programs=$(cd "$programs" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
case $results in /*) ;; *) results=$out/gpu.jsonl ;; esac
touch "$results"
end=$(($(date +%s) + seconds))
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
# One start of the machine is told from another by when its first process began.
start=$(stat -c %Y /proc/1 2>/dev/null || echo 0)
failed=0

left() {
	echo $((end - $(date +%s)))
}

# room SECONDS WHAT: is there time for it?
room() {
	[ "$(left)" -ge "$1" ] || { echo "$2: no time left"; return 1; }
}

# lines of results, old and new
all_lines() {
	if [ "$results" = "$recorded" ]; then
		cat "$recorded"
	else
		cat "$recorded" "$results"
	fi
}

summary() {
	all_lines | awk -f "$here/summary.awk"
}

# ---- building and judging ----

build() { # NAME FLAGS...
	name=$1
	shift
	[ ! -f "$work/$name.so" ] || return 0
	"$nvcc" -O3 -gencode=arch=compute_90a,code=sm_90a -shared -cudart=shared \
		--compress-mode=none -diag-suppress=177 "$@" \
		-Xcompiler=-fPIC,-fvisibility=default,-fno-common,-frandom-seed=kseek,-nostartfiles \
		"$here/problem/kernel.cu" -Xlinker=-z,now,-z,relro,-z,noexecstack,-z,defs \
		-Xlinker=-Bsymbolic,--build-id=none,--defsym=__dso_handle=0 -o "$work/$name.so"
}

problem() { # NAME:N:ALPHA...: the scenarios
	mkdir -p "$work/problem/sets" "$work/scratch"
	cp "$here/problem/definition.json" "$work/problem/"
	for size in "$@"; do
		echo "$size" | awk -F: '{ printf "{\"uuid\": \"%s\", \"axes\": {\"n\": %s}, " \
			"\"inputs\": {\"alpha\": {\"type\": \"scalar\", \"value\": %s}}}\n", $1, $2, $3 }'
	done >"$work/problem/sets/sizes.jsonl"
	: >"$work/history"
}

# What a campaign keeps of each scenario, in its way: the mean of "bias" over
# evaluations, and how many they were (12 count). NAME MEAN COUNT a line.
history() { # bias | runs
	awk -v what="$1" '{ printf "%s\"%s\":%s", sep, $1, what == "bias" ? $2 : $3; sep = "," }' \
		"$work/history"
}

remember() {
	{
		sed 's/^/was /' "$work/history"
		sed -n 's/.*"type":"scenario".*"name":"\([^"]*\)".*"bias":\([-0-9.e+]*\).*/now \1 \2/p' \
			"$work/lines"
	} | awk '$1 == "was" { mean[$2] = $3; n[$2] = $4; next }
		{ n[$2] += n[$2] < 12; mean[$2] += ($3 - mean[$2]) / n[$2] }
		END { for (k in n) { printf "%s %.6g %d\n", k, mean[k], n[k] } }' >"$work/history.new"
	mv "$work/history.new" "$work/history"
}

# judge SEED CANDIDATE BUDGET: lines in $work/lines, took_ms
judge() {
	cat >"$work/job.json" <<END
{"v":1,"problem":"$work/problem","target":"cuda","cuda":"$programs/libkseek-cuda.so",
 "seed":"$work/$1.so","reference":"$work/$1.so","candidate":"$work/$2.so",
 "worker":"$programs/kseek-worker","scratch":"$work/scratch","scenarios":null,
 "key":"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')","workers":${WORKERS:-8},"half_width":0.005,
 "without":[${WITHOUT:-}],"calls":${CALLS:-false},
 "budget_ms":$3,"limits":{"call_ms":10000,"mem_mb":8192},
 "bias":{$(history bias)},"runs":{$(history runs)},
 "probe":{"bandwidth_gbs":4000,"fma_gflops":{"float32":60000},"call_ns":4000}}
END
	began=$(date +%s%N)
	timeout 60 "$programs/kseek-judge" "$work/job.json" >"$work/lines" 2>"$work/err" || true
	took_ms=$((($(date +%s%N) - began) / 1000000))
	if ! grep -q '"type":"done"' "$work/lines"; then
		cat "$work/lines" "$work/err" >&2
		exit 1
	fi
	remember
}

# field NAME [SCENARIO]: its value in each scenario's line
field() {
	grep "\"type\":\"scenario\".*\"name\":\"${2:-}" "$work/lines" |
		sed -n "s/.*\"$1\":\"\{0,1\}\([-a-z0-9.e+]*\).*/\1/p"
}

list() {
	field "$1" | paste -sd, -
}

keep() { # PART MEMBERS: one line of results
	gpu=$(nvidia-smi --query-gpu=name,driver_version,clocks.sm,temperature.gpu \
		--format=csv,noheader 2>/dev/null | head -n 1)
	printf '{"date":"%s","start":%s,"part":"%s","gpu":"%s",%s}\n' \
		"$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$start" "$1" "$gpu" "$2" >>"$results"
}

# recorded_of PATTERN: how many lines
recorded_of() {
	all_lines | grep -c "$1" || true
}

# ---- the parts ----

selftest() {
	room 90 selftest || return 0
	if timeout "$(left)" "$here/selftest.sh" "$programs" "$out/selftest.log" >"$out/selftest.txt" 2>&1; then
		keep selftest '"failed":0'
	else
		failed=1
		keep selftest "\"failed\":$(grep -c '^FAIL' "$out/selftest.txt" || true)"
	fi
	grep '^FAIL' "$out/selftest.txt" || true
	tail -n 1 "$out/selftest.txt"
}

gallery() {
	room 60 gallery || return 0
	KSEEK_LIBEXEC=$programs timeout "$(left)" "$here/../exploits/run.sh" --target cuda --jobs "$((($(nproc) + 1) / 2))" \
		${only:+--only "$only"} >"$out/exploits-cuda.txt" 2>"$out/exploits.err" || failed=1
	grep 'MISSED\|FLAGGED' "$out/exploits-cuda.txt" || true
	tail -n 1 "$out/exploits-cuda.txt"
	set -- $(sed -n 's/^exploits caught \([0-9]*\), missed \([0-9]*\); honest passed \([0-9]*\), flagged \([0-9]*\)$/\1 \2 \3 \4/p' \
		"$out/exploits-cuda.txt")
	if [ $# -eq 4 ] && [ -z "$only" ]; then
		keep gallery "\"caught\":$1,\"missed\":$2,\"passed\":$3,\"flagged\":$4"
	fi
}

ten_lengths() {
	problem launch:65536:0 idle-0.005-ms:65536:0.005 idle-0.015-ms:65536:0.015 \
		idle-0.03-ms:65536:0.03 idle-0.06-ms:65536:0.06 idle-0.1-ms:65536:0.1 \
		idle-0.25-ms:65536:0.25 idle-0.6-ms:65536:0.6 idle-1.5-ms:65536:1.5 idle-4.8-ms:65536:4.8
	build SEED -DFORM=DELAY
	cp "$work/SEED.so" "$work/SAME.so"
}

aa() { # N
	ten_lengths
	budget=${BUDGET_MS:-7600}
	n=$(recorded_of "\"part\":\"aa\".*\"workers\":${WORKERS:-8},\"budget_ms\":$budget,")
	while [ "$n" -lt "$1" ] && room $((budget / 1000 + 5)) aa; do
		judge SEED SAME "$budget"
		n=$((n + 1))
		geomean=$(sed -n 's/.*"type":"done".*"geomean":\([0-9.e+-]*\).*/\1/p' "$work/lines")
		verdicts=$(field verdict | sort | uniq -c | awk '{ printf "%s%s %s", sep, $1, $2; sep = ", " }')
		keep aa "\"workers\":${WORKERS:-8},\"budget_ms\":$budget,\"geomean\":${geomean:-0},\"took_ms\":$took_ms,\"verdicts\":\"$verdicts\",\"speedups\":[$(list speedup)],\"half_widths\":[$(half_widths)],\"seed_us\":[$(list seed_us)]"
		echo "aa $n: geomean ${geomean:-none}, $verdicts, $took_ms ms"
	done
}

half_widths() {
	sed -n 's/.*"type":"scenario".*"lo":\([0-9.e+-]*\),"hi":\([0-9.e+-]*\).*/\1 \2/p' "$work/lines" |
		awk '{ printf "%s%.5f", sep, log($2 / $1) / 2; sep = "," }'
}

power() { # N
	problem short:65536:0.001 fifty:65536:0.037 half:65536:0.487
	build SEED -DFORM=DELAY
	build CUT -DFORM=DELAY -DCUT=20 -DCUT_SHORT=50
	n=$(recorded_of '"what":"2 % of 50 us"')
	while [ "$n" -lt "$1" ] && room 6 power; do
		judge SEED CUT "${POWER_MS:-1300}"
		n=$((n + 1))
		for pair in 'short:5 % of the shortest call' 'fifty:2 % of 50 us' 'half:2 % of 500 us'; do
			s=${pair%%:*}
			keep power "\"what\":\"${pair#*:}\",\"verdict\":\"$(field verdict "$s")\",\"speedup\":$(field speedup "$s"),\"lo\":$(field lo "$s"),\"hi\":$(field hi "$s"),\"band\":$(field band "$s"),\"seed_us\":$(field seed_us "$s"),\"took_ms\":$took_ms"
		done
		echo "power $n: $(list verdict), $(list speedup), $took_ms ms"
	done
}

# agree_on SEED CANDIDATE NAME:N:ALPHA...: as many plain processes as the judge has
# workers, since each leans by itself, by 1.5 % in calls of 15 us: two means of four
# would differ by more than 1 % one time in three. One more with nobody beside it.
agree_on() {
	seed=$1 candidate=$2
	shift 2
	problem "$@"
	sizes=$(printf '%s\n' "$@" | cut -d : -f 2-)
	for i in $(seq 13); do
		how=beside
		[ "$i" -le 12 ] || how=alone
		# shellcheck disable=SC2086
		plain "$how" "$seed" "$candidate" $sizes >"$work/plain.$i"
	done
	WORKERS=12
	judge "$seed" "$candidate" "${AGREE_MS:-12000}"
	WORKERS=
	i=0
	for size in "$@"; do
		i=$((i + 1))
		name=${size%%:*}
		awk -v i="$i" 'FNR == i' "$work"/plain.? "$work"/plain.1[0-2] >"$work/plains"
		ratios=$(cut -d ' ' -f 1 "$work/plains" | paste -sd, -)
		times=$(awk '{ s += $2; c += $3 } END { printf "%.2f,\"plain_cand_us\":%.2f", s / NR, c / NR }' "$work/plains")
		keep agree "\"scenario\":\"$name\",\"judge\":$(field speedup "$name\""),\"lo\":$(field lo "$name\""),\"hi\":$(field hi "$name\""),\"judge_seed_us\":$(field seed_us "$name\""),\"judge_cand_us\":$(field cand_us "$name\""),\"beside\":[$ratios],\"plain_seed_us\":$times,\"alone\":\"$(sed -n "${i}p" "$work/plain.13")\""
	done
}

build_plain() {
	[ -x "$work/plain" ] || "$nvcc" -O2 -std=c++17 -cudart=shared "$here/plain.cu" -ldl -o "$work/plain"
}

agree() {
	room 140 agree || return 0
	build_plain
	build TWO -DFORM=SEED
	build ONE -DFORM=ONE
	build SEED -DFORM=DELAY
	build CUT10 -DFORM=DELAY -DCUT=100
	agree_on TWO ONE passes-4099:4099:0 passes-262144:262144:0 passes-1048576:1048576:0 \
		passes-8388608:8388608:0 passes-33554432:33554432:0
	agree_on SEED CUT10 idle-0.01:65536:0.01 idle-0.03:65536:0.03 idle-0.1:65536:0.1 \
		idle-0.4:65536:0.4 idle-1.5:65536:1.5
}

# plain HOW SEED CANDIDATE SIZE...
plain() {
	plain_on "0-$(($(nproc) - 1))" "$@"
}

# plain_on PROCESSORS HOW SEED CANDIDATE SIZE...
plain_on() {
	cpus=$1 how=$2 seed=$3 candidate=$4
	shift 4
	LD_LIBRARY_PATH="$(dirname "$(dirname "$nvcc")")/lib64:${LD_LIBRARY_PATH:-}" timeout 60 taskset -c "$cpus" \
		"$work/plain" "$work/$seed.so" "$work/$candidate.so" "${PLAIN_S:-0.4}" "$how" "$@"
}

overhead() {
	room 50 overhead || return 0
	build_plain
	build TWO -DFORM=SEED
	build ONE -DFORM=ONE
	problem passes-4099:4099:0 passes-1048576:1048576:0
	last=$(($(nproc) - 1))
	{
		lscpu | grep -i '^CPU(s)\|Thread\|Socket\|NUMA'
		nvidia-smi topo -m | head -n 4
		for off in '' '"namespaces"' '' '"files"' '' '"limits"' '' '"mdwe"' '' '"syscalls"' \
			'"text","maps","seed-data","control"'; do
			WITHOUT=$off
			judge TWO ONE 600
			WITHOUT=
			echo "overhead, without ${off:-nothing}: seed $(list seed_us), candidate $(list cand_us)"
		done
		for turn in 1 2; do
			for how in loose beside alone; do
				echo "overhead, plain $how: $(PLAIN_S=0.3 plain $how TWO ONE 4099:0 1048576:0 | paste -sd' ' -)"
			done
			for cpu in 0 $((last / 2)) $last; do # from its start on
				echo "overhead, plain alone on processor $cpu: $(PLAIN_S=0.3 plain_on $cpu alone TWO ONE 4099:0 1048576:0 |
					paste -sd' ' -)"
			done
		done
	} | tee "$out/overhead.txt"
}

leans() { # N
	ten_lengths
	for i in $(seq "$1"); do
		room 7 leans || return 0
		CALLS=true
		judge SEED SAME "${BUDGET_MS:-3000}"
		CALLS=false
		grep '"type":"calls"' "$work/lines" >>"$out/calls.jsonl"
		echo "leans $i: $took_ms ms"
	done
}

# When each line of the judge came, in ms from its start.
phases() {
	room 15 phases || return 0
	ten_lengths
	judge SEED SAME "${BUDGET_MS:-3000}" # once, so that files are in memory
	began=$(date +%s%N)
	"$programs/kseek-judge" "$work/job.json" 2>/dev/null | while IFS= read -r line; do
		printf '%d %s\n' $((($(date +%s%N) - began) / 1000000)) "$line"
	done | sed 's/^\([0-9]*\) .*"type":"\([a-z]*\)"/\1 \2 /' | cut -c 1-90 >"$out/phases.txt"
	sed 's/^\([0-9]*\) progress.*"phase":"\([a-z]*\)","worker":\([0-9]*\).*/\1 \2 \3/' "$out/phases.txt" |
		awk '{ now = "rest" } $2 ~ /^(check|time)$/ { now = $2 " " $3 } now != last { print $1 " ms: " now } { last = now }'
}

while [ $# -gt 0 ]; do
	case $1 in
	selftest | gallery | agree | phases | overhead) "$1"; shift ;;
	aa | power | leans) "$1" "${2:?how many}"; shift 2 ;;
	summary) shift ;;
	all) set -- selftest gallery agree power 100 aa 200 ;;
	*) echo "run.sh: $1: selftest, gallery, aa N, power N, agree, phases, overhead, leans N, summary or all" >&2; exit 2 ;;
	esac
done
summary
exit "$failed"
