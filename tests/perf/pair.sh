#!/bin/sh
# pair.sh KSEEK CAMPAIGN: milliseconds that one timed pair of the smallest
# scenario costs beyond its two calls: all the wall time of an evaluation of
# that scenario alone (start of the workers, checks, inputs, flushes, judging),
# less the calls, over the pairs. An upper bound of what a pair costs.
set -eu
cd "$2"
small=$(sed -n 's/.*"kind":"scenario.declared".*"name":"\([^"]*\)".*"bytes":\([0-9.]*\).*/\2 \1/p' .kseek/log.jsonl |
	sort -n | head -1 | cut -d' ' -f2)
"$1" eval --only "$small" --json > /dev/null
scenario=$(grep '"kind":"eval.scenario"' .kseek/log.jsonl | tail -1)
finished=$(grep '"kind":"eval.finished"' .kseek/log.jsonl | tail -1)
field() { printf '%s\n' "$1" | sed -n "s/.*\"$2\":\([0-9.e+-]*\).*/\1/p"; }
awk -v wall="$(field "$finished" wall_ms)" -v pairs="$(field "$scenario" pairs)" \
	-v seed="$(field "$scenario" seed_us)" -v cand="$(field "$scenario" cand_us)" \
	'BEGIN { printf "%.3f\n", (wall - pairs * (seed + cand) / 1000) / pairs }'
