#!/bin/sh
# replay.sh KSEEK LOG: the detectors run afresh over a recorded campaign find the
# moments that were raised while it ran, in the same order.
set -eu
out=$("$1" moments replay "$2")
recorded=$(printf '%s\n' "$out" | sed -n 's/^[0-9]* recorded \([a-z]*\):.*/\1/p')
found=$(printf '%s\n' "$out" | sed -n 's/^[0-9]* found  *\([a-z]*\):.*/\1/p')
if [ -z "$recorded" ] || [ "$recorded" != "$found" ]; then
	printf 'recorded: %s\nfound: %s\n' "$(echo $recorded)" "$(echo $found)"
	exit 1
fi
