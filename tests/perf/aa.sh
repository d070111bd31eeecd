#!/bin/sh
# The seed against itself on this processor: N evaluations by a campaign's own rules,
# of the sets of the operator with the most scenarios.
#
#   aa.sh KSEEK FOLDER N [RECORD]
#
# FOLDER is made. The last line has, in per cent: how far the worst geomean is off one;
# the scenario verdicts "faster" or "slower"; the mean's distance from one; the standard
# deviation; the evaluations beyond 0.3 and beyond 0.5. RECORD takes a JSON line of each
# evaluation, as docs/measurements/cpu.jsonl has them.
set -eu
kseek=$(realpath "$1")
folder=$2
n=$3
record=${4:-/dev/null}
scenarios=$(cd "$(dirname "$0")/../../scenarios" && pwd)
op=$(for o in "$scenarios"/*/; do
	echo "$(cat "$o"*.jsonl | wc -l) $(basename "$o")"
done | sort -rn | awk 'NR == 1 { print $2 }')
machine="$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -1), $(nproc) processors"

"$kseek" new "$folder" --problem "$op" >/dev/null
for i in $(seq "$n"); do
	# Another comment each time, so that each is a candidate of its own.
	{ echo "/* $i */"; cat "$folder/problem/seed.c"; } >"$folder/kernel.c"
	began=$(date +%s%N)
	(cd "$folder" && "$kseek" eval --json) >"$folder/eval.json" || true
	took_ms=$((($(date +%s%N) - began) / 1000000))
	awk -v date="$(date -u +%Y-%m-%dT%H:%M:%SZ)" -v machine="$machine" -v took="$took_ms" \
		-v load="$(cut -d ' ' -f 1 /proc/loadavg)" -f "$(dirname "$0")/aa.awk" \
		"$folder/eval.json" | tee -a "$record"
done >"$folder/lines.jsonl"
(cd "$folder" && "$kseek" stop) >/dev/null
awk -F '"geomean":|,"lo":|"not_same":|,"scenarios":|,"speedups":' '{
	g = $2 > 0 ? log($2) : 1
	off = exp(g < 0 ? -g : g) - 1
	worst = off > worst ? off : worst
	sum += g
	square += g * g
	beyond3 += off > 0.003
	beyond5 += off > 0.005
	other += $4
	all += $5
} END {
	mean = sum / NR
	sd = NR > 1 ? sqrt((square - NR * mean * mean) / (NR - 1)) : 0
	printf "%.3f %.3f %.3f %.3f %.1f %.1f\n", worst * 100, all ? other / all * 100 : 100,
		(exp(mean) - 1) * 100, sd * 100, beyond3 / NR * 100, beyond5 / NR * 100
}' "$folder/lines.jsonl"
