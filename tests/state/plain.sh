#!/bin/sh
# plain.sh KSEEK LOG...: recorded campaigns in which the agent claims nothing. Beyond
# true plateaus the detectors raise at most one moment in a hundred tool calls. The
# moment at the start and those at a turn's end are no alarms: a decision is due then.
set -eu
kseek=$1
shift
calls=0
alarms=0
for log in "$@"; do
	"$kseek" moments replay "$log" > "${TMPDIR:-/tmp}/plain.$$"
	n=$(sed -n 's/.* in \([0-9]*\) calls, by the detectors.*/\1/p' "${TMPDIR:-/tmp}/plain.$$")
	a=$(grep -E '^[0-9]+ found' "${TMPDIR:-/tmp}/plain.$$" |
		grep -vcE '^[0-9]+ found +(start|plateau):|the turn ended with' || true)
	grep -E '^[0-9]+ found' "${TMPDIR:-/tmp}/plain.$$" | grep -vE ' (start|plateau):' || true
	rm -f "${TMPDIR:-/tmp}/plain.$$"
	echo "$(basename "$log"): $n calls, $a alarms"
	calls=$((calls + n))
	alarms=$((alarms + a))
done
echo "$calls calls, $alarms alarms"
[ "$calls" -ge 500 ] && [ $((alarms * 100)) -le "$calls" ]
