#!/bin/sh
# median.sh N PROGRAM ARGS: median wall time of N runs, in ms.
n=$1
shift
i=0
while [ $i -lt "$n" ]; do
	a=$(date +%s%N)
	"$@" > /dev/null
	b=$(date +%s%N)
	echo $((b - a))
	i=$((i + 1))
done | sort -n | awk '{ v[NR] = $1 } END { printf "%.2f\n", v[int((NR + 1) / 2)] / 1e6 }'
