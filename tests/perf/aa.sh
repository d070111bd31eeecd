#!/bin/sh
# aa.sh KSEEK FOLDER N: the seed against itself, N evaluations. Prints by how
# many per cent the worst geomean lies off one, and the share in per cent of
# scenario verdicts that say faster or slower. FOLDER is made; the sets of the
# operator with the most scenarios are used.
set -eu
kseek=$1
folder=$2
n=$3
op=$(ls "$(dirname "$0")/../../scenarios" | while read -r o; do
	f="$(dirname "$0")/../../scenarios/$o"
	[ -d "$f" ] && echo "$(cat "$f"/*.jsonl "$f"/sets/*.jsonl 2>/dev/null | wc -l) $o"
done | sort -rn | head -1 | cut -d' ' -f2)
"$kseek" new "$folder" --problem "$op" > /dev/null
cd "$folder"
i=0
while [ $i -lt "$n" ]; do
	# Another comment each time, so that each is a candidate of its own.
	{ echo "/* $i */"; cat problem/seed.c; } > kernel.c
	"$kseek" eval --json > eval.json || true
	cat eval.json
	i=$((i + 1))
done > all.json
awk '{
	rest = $0
	if (match(rest, /"geomean":[0-9.e+-]+/)) {
		g = substr(rest, RSTART + 10, RLENGTH - 10) + 0
		off = (g > 1 ? g / 1 : 1 / g) - 1
		if (off > worst) worst = off
	}
	total += gsub(/"verdict":"/, "&", rest)
	different += gsub(/"verdict":"(faster|slower)"/, "&", rest)
} END { printf "%.3f %.3f\n", worst * 100, total ? different / total * 100 : 100 }' all.json
