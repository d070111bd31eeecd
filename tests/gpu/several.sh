#!/bin/sh
# Two or more GPUs at once: evaluations of a shipped operator on all of them and on
# the first alone, in turn; then on all while every one but the first is full; then
# two campaigns at once, each on a GPU of its own.
#
#   tests/gpu/several.sh BUNDLE OUT
#
# BUNDLE: the folder that bundle.sh made; OUT gets the evaluations' JSON and errors.
# The seed is measured against itself each time. A first evaluation, which builds and
# loads everything for the first time, is not counted; the others are the same work.
# Prints one line a check; the last one counts what failed. Needs python3 with torch
# for the full GPU, else that part is left out and said so.
set -eu

bundle=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
kseek=$bundle/bin/kseek
work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-several-XXXXXX")
hog=
trap '[ -z "$hog" ] || kill "$hog" 2>/dev/null; rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work" HOME="$work" XDG_CACHE_HOME="$work/cache"
export GIT_CONFIG_NOSYSTEM=1
failed=0

check() { # WHAT CONDITION...
	what=$1
	shift
	if "$@"; then
		echo "ok   $what"
	else
		echo "FAIL $what"
		failed=$((failed + 1))
	fi
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

devices() { # NAME: each scenario's
	grep -o '"device":"GPU-[-0-9a-f]*' "$out/$1.json" | cut -d '"' -f 4
}

used() {
	devices "$1" | sort -u | wc -l
}

evaluate() { # NAME [CAMPAIGN]: milliseconds in $took
	began=$(now_ms)
	status=0
	(cd "$work/${2:-c}" && "$kseek" eval --json >"$out/$1.json" 2>"$out/$1.err") || status=$?
	took=$(($(now_ms) - began))
	(cd "$work/${2:-c}" && "$kseek" stop) >/dev/null 2>&1 || true # its engine has its GPUs
	echo "     $1: $took ms, exit $status; $(devices "$1" | sort | uniq -c |
		awk '{ printf "%s%s x %s", sep, $2, $1; sep = ", " }')$(grep -o '"notes":\[[^]]*' "$out/$1.json" || true)"
}

all_correct() {
	! grep -q '"correct": *false' "$out/$1.json" && grep -q '"correct": *true' "$out/$1.json"
}

on() { # NAME GPUS: that many measured, all right
	check "$1: measured on $2" [ "$(used "$1")" -eq "$2" ]
	check "$1: every scenario is correct" all_correct "$1"
}

new() { # CAMPAIGN PROBLEM
	"$kseek" new "$work/$1" --problem "$2" --target cuda >"$out/new.txt" 2>&1 || {
		cat "$out/new.txt"
		exit 1
	}
}

count=$(nvidia-smi -L | wc -l)
uuids=$(nvidia-smi --query-gpu=uuid --format=csv,noheader)
first=$(echo "$uuids" | sed -n 1p)
second=$(echo "$uuids" | sed -n 2p)
check "this machine has several GPUs ($count)" [ "$count" -ge 2 ]
new c attention
evaluate warm
all_ms=0
one_ms=0
for turn in ${TURNS:-1 2}; do
	export CUDA_VISIBLE_DEVICES="$first"
	evaluate "one-$turn"
	unset CUDA_VISIBLE_DEVICES
	one_ms=$((one_ms + took))
	on "one-$turn" 1
	evaluate "all-$turn"
	all_ms=$((all_ms + took))
	on "all-$turn" "$count"
done
turns=$(echo "${TURNS:-1 2}" | wc -w)
all_ms=$((all_ms / turns))
one_ms=$((one_ms / turns))
check "all GPUs take less time than one ($all_ms, $one_ms ms)" [ "$all_ms" -lt "$one_ms" ]
(cd "$work/c" && "$kseek" candidates seed) >"$out/table.txt" 2>&1 || true
check "the table says which GPU" grep -q "^gpu 2: GPU-" "$out/table.txt"

# Two campaigns, each with a GPU of its own: neither may disturb the other.
new d rmsnorm
evaluate other-warm d
(
	export CUDA_VISIBLE_DEVICES="$second"
	evaluate other d
	evaluate other d
) >"$work/other.txt" &
other=$!
export CUDA_VISIBLE_DEVICES="$first"
evaluate beside
unset CUDA_VISIBLE_DEVICES
wait "$other"
cat "$work/other.txt"
on beside 1
on other 1
check "beside: as long as without the other ($took, $one_ms ms)" [ "$took" -lt $((one_ms * 13 / 10)) ]

if python3 -c 'import torch' 2>/dev/null; then
	python3 - "$count" "$work/full" <<'PY' &
import sys, time, torch
held = []
for gpu in range(1, int(sys.argv[1])):
    for size in (1 << 30, 1 << 26, 1 << 22):
        try:
            while True:
                held.append(torch.empty(size, dtype=torch.uint8, device=f"cuda:{gpu}"))
        except torch.cuda.OutOfMemoryError:
            pass
open(sys.argv[2], "w").close()
time.sleep(300)
PY
	hog=$!
	for i in $(seq 60); do
		[ ! -e "$work/full" ] || break
		sleep 1
	done
	nvidia-smi --query-gpu=index,memory.used,memory.total --format=csv,noheader
	evaluate full
	on full 1
	check "full: a note says which GPU is left out" grep -q 'left out: GPU' "$out/full.json"
	check "full: as long as one alone ($took, $one_ms ms)" [ "$took" -lt $((one_ms * 13 / 10)) ]
	kill "$hog" 2>/dev/null || true
	hog=
else
	echo "     full: left out, no torch here"
fi
echo "$failed failed"
[ "$failed" -eq 0 ]
