#!/bin/sh
# run.sh BUILD [--json] [--aa]: benchmarks of a release build; each prints
# "name value unit budget". --aa adds twenty evaluations of the seed against
# itself (several minutes, wants a quiet machine). A budget that is passed is
# marked and the exit status is 1.
set -eu
build=$1
shift
json=no
aa=no
for word in "$@"; do
	case $word in
	--json) json=yes ;;
	--aa) aa=yes ;;
	*) echo "run.sh: unknown option $word" >&2; exit 2 ;;
	esac
done
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$build" && pwd)
kseek=$build/src/app/kseek
ninja -C "$build" tests/perf/ptybench > /dev/null
bench=$build/tests/perf/ptybench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

line() { # name value unit budget
	over=$(awk -v v="$2" -v b="$4" 'BEGIN { print (v > b) ? 1 : 0 }')
	[ "$over" = 1 ] && failed=1
	if [ $json = yes ]; then
		printf '{"name":"%s","value":%s,"unit":"%s","budget":%s}\n' "$1" "$2" "$3" "$4"
	else
		mark=
		[ "$over" = 1 ] && mark='  OVER'
		printf '%s %s %s %s%s\n' "$1" "$2" "$3" "$4" "$mark"
	fi
}

# Start of the command: the median of 41 runs.
line version_start "$("$here/median.sh" 41 "$kseek" --version)" ms 10

"$here/genlog.sh" 12000 > "$work/log.jsonl"
set -- $("$bench" first 15 -- "$kseek" replay "$work/log.jsonl")
line first_frame_12k "$1" ms 50
line first_frame_12k_memory "$2" MiB 16
set -- $("$bench" keys 600 -- "$kseek" replay "$work/log.jsonl")
line key_to_frame_p99_80x24 "$1" ms 8
"$here/genlog.sh" 1000000 > "$work/big.jsonl"
set -- $("$bench" first 3 -- "$kseek" replay "$work/big.jsonl")
line first_frame_1m "$1" ms 1500
line first_frame_1m_memory "$2" MiB 64
ninja -C "$build" tests/perf/foldbench > /dev/null
"$build/tests/perf/foldbench" "$work/big.jsonl" "$here/../../bank/core" > "$work/fold.txt"
fold() { awk -v n="$1" '$1 == n { print $2 }' "$work/fold.txt"; }
line fold_1m "$(fold fold)" s 1.5
line fold_and_detect_1m "$(fold fold_and_detect)" s 4
line event_median "$(fold event_median)" us 0.5
line event_with_sentences "$(fold event_with_sentences_mean)" us 50
line evaluation_median "$(fold evaluation_median)" us 50
rm -f "$work/big.jsonl"

# A live campaign that waits for a person: console and engine.
"$kseek" new "$work/idle" --problem rmsnorm > "$work/new.txt"
(
	cd "$work/idle"
	"$bench" idle 20 -- "$kseek" steer > "$work/console.txt" &
	console=$!
	sleep 4
	engine=$("$kseek" status --json > /dev/null; pgrep -f "kseek-engine run $work/idle" | head -1)
	before=$(awk '{ print $14 + $15 }' "/proc/$engine/stat")
	sleep 15
	after=$(awk '{ print $14 + $15 }' "/proc/$engine/stat")
	wait $console
	awk -v a="$before" -v b="$after" -v t="$(getconf CLK_TCK)" \
		'BEGIN { printf "%.3f\n", (b - a) / t / 15 * 100 }' > "$work/engine.txt"
	"$kseek" stop > /dev/null
)
line idle_console "$(cat "$work/console.txt")" % 0.1
line idle_engine "$(cat "$work/engine.txt")" % 0.1

# What a pair costs beyond its calls and flushes, by the judge's own count.
line pair_overhead "$("$here/pair.sh" "$kseek" "$work/idle")" ms 1

if [ $aa = yes ]; then
	set -- $("$here/aa.sh" "$kseek" "$work/aa" 20)
	line aa_geomean_off "$1" % 0.5
	line aa_verdicts "$2" % 1
fi
exit $failed
