#!/bin/sh
# plain.sh KSEEK LOG...: recorded campaigns in which the agent claims nothing. Beyond
# true plateaus the detectors raise at most one moment in a hundred tool calls. The
# moment at the start and those at a turn's end are no alarms: a decision is due then.
# What the evaluator saw in the figures (a win without words behind it) is a reason to
# look, whatever was said; it is counted apart.
set -eu
kseek=$1
shift
calls=0
alarms=0
steps=0
for log in "$@"; do
	"$kseek" moments replay "$log" > "${TMPDIR:-/tmp}/plain.$$"
	n=$(sed -n 's/.* in \([0-9]*\) calls, by the detectors.*/\1/p' "${TMPDIR:-/tmp}/plain.$$")
	a=$(grep -E '^[0-9]+ found' "${TMPDIR:-/tmp}/plain.$$" |
		grep -vcE '^[0-9]+ found +(start:|plateau:|win: [^"])|the turn ended with' || true)
	s=$(grep -cE '^[0-9]+ found +win: [^"]' "${TMPDIR:-/tmp}/plain.$$" || true)
	grep -E '^[0-9]+ found' "${TMPDIR:-/tmp}/plain.$$" | grep -vE ' (start|plateau):' || true
	rm -f "${TMPDIR:-/tmp}/plain.$$"
	echo "$(basename "$log"): $n calls, $a alarms, $s by figures"
	calls=$((calls + n))
	alarms=$((alarms + a))
	steps=$((steps + s))
done
echo "$calls calls, $alarms alarms, $steps by figures"
[ "$calls" -ge 500 ] && [ $((alarms * 100)) -le "$calls" ]
