#!/bin/sh
# The demo steered to its goal three times, with the first, the second and the
# third question at every banner, and once by itself without a terminal: about
# fifteen minutes.
# usage: demo.sh BUILD
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
status=0
for digit in 1 2 3; do
	echo "question $digit at every banner"
	"$here/../pty/demo.sh" "$build" "$digit" || status=1
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "by itself"
"$build/src/app/kseek" demo "$work/demo" </dev/null >"$work/lines" 2>&1
code=$?
tail -n 3 "$work/demo/.kseek/log.jsonl" | cut -c1-200
if [ $code -ne 0 ]; then
	echo "FAILED: the demo without a terminal ended with $code" >&2
	tail -n 20 "$work/lines" >&2
	status=1
fi
exit $status
