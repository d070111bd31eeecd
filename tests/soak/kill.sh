#!/bin/sh
# kill -9 of every process of a campaign, forty times each, with a table of
# what came of it. Takes about ten minutes on a release build.
# usage: kill.sh BUILD [TIMES]
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
times=${2:-40}
status=0
printf '%-10s %6s %13s %6s %8s\n' killed times acknowledged lost seconds
for kind in append commit judge worker client console; do
	line=$("$here/../pty/kill.sh" "$build" "$times" "$kind")
	if [ $? -eq 0 ]; then
		echo "$line" | awk -v kind="$kind" -v times="$times" '
			{ for (i = 1; i < NF; i++) { if ($(i + 1) == "things") n = $i; if ($(i + 1) == "s") s = $i } }
			END { printf "%-10s %6d %13d %6d %8d\n", kind, times, n, 0, s }'
	else
		printf '%-10s %6s %13s\n' "$kind" "$times" FAILED
		status=1
	fi
done
exit $status
