#!/bin/sh
# demo.sh BUILD [TIMES]: the demo, steered by keys under tmux from the start to
# the goal, TIMES times (1). Five minutes each; wants a machine that is not busy
# and a build without sanitizers.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1
times=${2:-1}
i=0
failed=0
while [ "$i" -lt "$times" ]; do
	i=$((i + 1))
	began=$(date +%s)
	if "$here/../pty/demo.sh" "$build"; then
		echo "demo $i of $times: passed in $(($(date +%s) - began)) s"
	else
		echo "demo $i of $times: FAILED after $(($(date +%s) - began)) s"
		failed=1
	fi
done
exit $failed
