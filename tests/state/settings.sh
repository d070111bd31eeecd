#!/bin/sh
# settings.sh KSEEK LOG: a replay has the numbers that the log's engine had, and
# no others: with another number in the log it finds other moments.
set -eu
kseek=$1
log=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plateaus() { "$kseek" moments replay "$1" | grep -c '^[0-9]* found  *plateau:' || true; }
sed -e 's/,"policy":{[^}]*}//' -e '0,/"kind":"engine.started"/s/\("kind":"engine.started".*\)}$/\1,"policy":{"plateau_evals":1,"plateau_calls":1000000,"moment_calls":0}}/' \
	"$log" > "$work/log.jsonl"
if cmp -s "$log" "$work/log.jsonl"; then
	echo "no engine.started in $log" >&2
	exit 1
fi
usual=$(plateaus "$log")
soon=$(plateaus "$work/log.jsonl")
mkdir "$work/camp" "$work/camp/.kseek"
cp "$log" "$work/camp/.kseek/log.jsonl"
printf '{"id":"0123456789ab","policy":{"plateau_evals":1,"moment_calls":0}}\n' > "$work/camp/campaign.json"
beside=$(plateaus "$work/camp/.kseek/log.jsonl")
if [ "$soon" -le "$usual" ] || [ "$beside" != "$usual" ]; then
	echo "plateaus: $usual by the log, $soon with one evaluation for each, $beside beside such a campaign.json" >&2
	exit 1
fi
