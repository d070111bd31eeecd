#!/bin/sh
# What one call through the shim costs more than without it, in milliseconds: the
# median of some rounds of N calls each. Take it on a quiet machine, from a
# release build.
# usage: shim.sh SHIM [N] [ROUNDS]
set -eu
shim=$(readlink -f "$1")
n=${2:-200}
rounds=${3:-9}
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
mkdir "$top/shim" "$top/bin"
ln -s "$shim" "$top/shim/perf"
ln -s "$(readlink -f /bin/true)" "$top/bin/perf"
now() {
	date +%s%N
}
round() {
	from=$(now)
	i=0
	while [ $i -lt "$n" ]; do
		perf
		i=$((i + 1))
	done
	echo $((($(now) - from) / n))
}
KSEEK_SHIM="$top/nobody"
KSEEK_SHIM_DIR="$top/shim"
export KSEEK_SHIM KSEEK_SHIM_DIR
for r in $(seq "$rounds"); do
	PATH="$top/bin:/usr/bin:/bin"
	bare=$(round)
	PATH="$top/shim:$top/bin:/usr/bin:/bin"
	with=$(round)
	echo $((with - bare))
done | sort -n | awk '{a[NR] = $1} END {printf "%.3f ms a call (median of %d)\n", a[int((NR + 1) / 2)] / 1e6, NR}'
