#!/bin/sh
# The command line: help, exit statuses, one-line errors, refusals that leave
# nothing behind, JSON that parses, and an installation that was moved.
# usage: cli.sh BUILD [PART...]     parts: help refuse results install
set -u
. "$(dirname "$0")/lib.sh"
pty_begin cli "$1"
shift
parts=${*:-help refuse results install}
problem=$top/problem
camp=$top/c

# ---- help and usage ----

# narrow WHAT: what was printed fits a terminal of 80 columns.
narrow() {
	if awk 'length($0) > 80 { found = 1 } END { exit !found }' "$top/out"; then
		not_ok "$1: wider than 80 columns" "$top/out"
	fi
}

try_help() {
	status_is "help" 0 "$kseek" --help
	narrow help
	for sub in $("$kseek" --commands); do
		has "the list of commands" "$top/out" "  $sub "
	done
	[ "$("$kseek" --commands | wc -l)" -ge 18 ] || not_ok "too few commands"
	for sub in $("$kseek" --commands); do
		status_is "help of $sub" 0 "$kseek" "$sub" --help
		has "help of $sub" "$top/out" "usage: kseek $sub"
		has "help of $sub" "$top/out" "--help"
		narrow "help of $sub"
		[ -s "$top/err" ] && not_ok "help of $sub: writes errors" "$top/err"
		refused "unknown option of $sub" 2 "unknown option --no-such" "$sub" --no-such
	done
	status_is "no command" 2 "$kseek"
	has "no command" "$top/err" "usage: kseek COMMAND"
	refused "unknown command" 2 "unknown command 'frobnicate'" frobnicate
	evil=$(printf 'a\033[31m\033]0;t\007\302\2331m\342\200\256b')
	refused "an evil command" 2 "unknown command 'a" "$evil"
	lacks "an evil command" "$top/err" "$(printf '\033')"
	refused "an evil option" 2 "unknown option --a" eval "--$evil"
	lacks "an evil option" "$top/err" "$(printf '\033')"
	lacks "an evil option" "$top/err" "$(printf '\342\200\256')"
	refused "a word too many" 2 "one word too many" version now
	refused "an option without its value" 2 "needs a value" eval --wait
	refused "a number that is none" 2 "not a whole number" eval --wait soon
	status_is "version" 0 "$kseek" --version
	has "version" "$top/out" "kseek "
	status_is "version as JSON" 0 "$kseek" version --json
	is_json "version" "$top/out"
}

# Outside of any campaign, everything that needs one says so.
try_no_campaign() {
	cd "$top" || exit 1
	for sub in steer status stop eval goal candidates diff moments export reindex; do
		status_is "$sub without a campaign" 3 "$kseek" "$sub"
		if [ "$(wc -l <"$top/err")" -ne 1 ]; then
			not_ok "$sub without a campaign: not one line" "$top/err"
		fi
	done
	status_is "say without a campaign" 3 "$kseek" say hello
	has "say without a campaign" "$top/err" "go into a campaign's folder"
	for words in "export" "replay" "moments replay" "bank stats" "bank suggest --log"; do
		# The words are words of this script.
		# shellcheck disable=SC2086
		refused "$words of what is not there" 3 \
			"no-such.jsonl: no such file or folder; name a campaign's log" $words no-such.jsonl
	done
	refused "steering what is not there" 3 "no-such" steer --plain no-such
	refused "an export format" 2 "use md or jsonl" export --format pdf
	for act in show dryrun; do
		refused "$act of a question that is not there" 2 \
			"no question 'Z-99'; see 'kseek bank list'" bank $act Z-99
	done
	: >"$top/empty.jsonl"
	refused "an empty log" 2 "holds no event of a campaign" export "$top/empty.jsonl"
	printf 'garbage\n{"a":1}\n{"seq":1,"t":' >"$top/tmp/garbage.jsonl"
	refused "export of no log" 2 "garbage.jsonl: holds no" export "$top/tmp/garbage.jsonl"
	refused "replay of no log" 2 "garbage.jsonl: holds no" replay "$top/tmp/garbage.jsonl"
	refused "moments of no log" 2 "garbage.jsonl: holds no" moments replay "$top/tmp/garbage.jsonl"
	refused "statistics of no log" 2 "garbage.jsonl: holds no" bank stats "$top/tmp/garbage.jsonl"
	refused "suggestions for no log" 2 "garbage.jsonl: holds no" bank suggest --log "$top/tmp/garbage.jsonl"
	rm "$top/tmp/garbage.jsonl"
	try_lines
}

# A line that nobody reads is cut, and a terminal that cannot be drawn on is
# refused before anything is written to it.
try_lines() {
	long=$(printf '%03000d' 0)
	printf '{"seq":1,"t":1,"kind":"note.added","by":"human","text":"%s"}\n' "$long" \
		>"$top/tmp/long.jsonl"
	status_is "a long line" 0 "$kseek" replay --plain "$top/tmp/long.jsonl"
	has "a long line" "$top/out" "bytes left out)"
	[ "$(wc -c <"$top/out")" -lt 1100 ] && ok || not_ok "a long line: is not cut" "$top/out"
	if command -v script >/dev/null; then
		status_is "a dumb terminal" 3 script -qec \
			"TERM=dumb '$kseek' replay '$top/tmp/long.jsonl'" /dev/null
		has "a dumb terminal" "$top/out" "cannot place a cursor; use --plain"
		lacks "a dumb terminal" "$top/out" "$(printf '\033')"
	fi
	rm "$top/tmp/long.jsonl"
}

# ---- refusals of kseek new ----

# change FILE SED: a fresh problem with one edit.
change() {
	rm -rf "$problem"
	small_problem "$problem"
	change_again "$1" "$2"
}

# change_again FILE SED: one more edit of it.
change_again() {
	sed "$2" "$problem/$1" >"$top/changed" && mv "$top/changed" "$problem/$1"
}

# new_refused WHAT STATUS TEXT WORDS...
new_refused() {
	what=$1
	expected=$2
	text=$3
	shift 3
	refused "$what" "$expected" "$text" new --problem "$problem" "$@" "$camp"
	if [ -e "$camp" ]; then
		not_ok "$what: a campaign is there"
		rm -rf "$camp"
	fi
	left=$(ls -A "$top" | grep -v -x -e home -e run -e state -e tmux -e tmp -e out -e err \
		-e problem -e changed -e empty.jsonl -e kept -e json.err)
	if [ -n "$left" ]; then
		not_ok "$what: left behind: $left"
	fi
	if [ -n "$(ls -A "$top/tmp")" ]; then
		not_ok "$what: left in the temporary folder: $(ls -A "$top/tmp")"
	fi
}

try_refuse_scenarios() {
	change sets/small.jsonl 's/"axes": {"n": 17}/"axes": {}/'
	new_refused "an axis is missing" 2 "sets/small.jsonl:1"
	has "an axis is missing" "$top/err" "axis 'n'"
	change sets/small.jsonl 's/"n": 17}/"n": -3}/'
	new_refused "an axis below zero" 2 "sets/small.jsonl:1"
	change sets/small.jsonl 's/"n": 17}/"n": 0}/'
	new_refused "a constraint that does not hold" 2 "n >= 1"
	change sets/small.jsonl 's/n-4099/n-17/'
	new_refused "a scenario twice" 2 "n-17"
	change sets/small.jsonl '2s/.*/{"uuid": "cut", "axes": /'
	new_refused "a line that is no JSON" 2 "sets/small.jsonl:2"
	change sets/small.jsonl 's/"value": 1.5/"value": "much"/'
	new_refused "a value of another type" 2 "sets/small.jsonl:1"
	change sets/small.jsonl 's/"n": 16384/"n": 9223372036854775807/'
	new_refused "a size that overflows" 2 "sets/small.jsonl:3"
	change sets/small.jsonl 's/"alpha"/"beta"/'
	new_refused "an input that is not declared" 2 "beta"
	change sets/small.jsonl '1,$d'
	new_refused "no scenario at all" 2 "scenario"
}

try_refuse_definition() {
	change definition.json 's/"shape": null, "dtype": "float32"/"shape": null, "dtype": "float99"/'
	new_refused "an unknown dtype" 2 "float99"
	has "an unknown dtype" "$top/err" "definition.json"
	change definition.json 's/"shape": \["1"\]/"shape": ["n * m"]/'
	new_refused "a shape of unknown axes" 2 "definition.json"
	change definition.json 's/"4 \* n"/"4 * * n"/'
	new_refused "an expression with an error" 2 "operations"
	change definition.json 's/"n >= 1"/"n >="/'
	new_refused "a constraint with an error" 2 "constraints"
	change definition.json 's/"symbol": "blend", //'
	new_refused "no entry" 2 "symbol"
	change definition.json 's/"alpha"\]/"gamma"]/'
	new_refused "an argument that is nothing" 2 "gamma"
	change definition.json 's/"name": "blend",/"name": "blend",,/'
	new_refused "no JSON" 2 "definition.json"
	change definition.json 's/\["reference.c"\]/["no-such.c"]/'
	new_refused "a source that is not there" 2 "no-such.c"
	change definition.json 's/\["reference.c"\]/["..\/..\/home\/x.c"]/'
	new_refused "a source outside of the problem" 2 "definition.json"
	change definition.json 's/^/ /'
	rm "$problem/definition.json"
	new_refused "no definition" 3 "no definition.json"
	small_problem "$problem"
	if [ "$(id -u)" -ne 0 ]; then
		chmod 0 "$problem/definition.json"
		new_refused "an unreadable file" 3 "definition.json"
	fi
	rm -f "$problem/definition.json"
	mkdir "$problem/definition.json"
	new_refused "a folder in place of a file" 2 "definition.json"
	rm -rf "$problem"
}

try_refuse_sources() {
	change seed.c 's/int blend/int blond/'
	new_refused "the entry has another name" 2 "the seed: seed.c has no function blend"
	change seed.c 's/^int blend/static int blend/'
	new_refused "the entry is static" 2 "define it there, not static"
	change reference.c 's/int blend/int blond/'
	new_refused "the reference's has another name" 2 "the reference: reference.c has no function"
	change seed.c 's/total\[0\] = (float)sum/total[0] = 7/'
	new_refused "a seed that is wrong" 2 "n-17: the seed's answer is not the reference's: 1 of 1 "
	has "a seed that is wrong" "$top/err" "worst at [0]: 7, expected "
	change seed.c 's/return 0;/return 5;/'
	new_refused "a seed that fails" 2 "n-17"
	change seed.c 's/double sum/dooble sum/'
	status_is "a seed that does not build" 4 "$kseek" new --problem "$problem" "$camp"
	has "a seed that does not build" "$top/err" "the seed does not build: seed.c:"
	[ -e "$camp" ] && not_ok "a seed that does not build: a campaign is there"
	rm -rf "$problem"
}

try_refuse_options() {
	small_problem "$problem"
	new_refused "a goal that is no clause" 2 "goal line 1, column 1" --goal 'faster please'
	new_refused "a goal that ends early" 2 "goal line 1, column 19" --goal 'geomean speedup >='
	new_refused "a goal of an unknown axis" 2 "batch" --goal 'every speedup >= 1 where batch = 1'
	new_refused "a goal of an unknown set" 2 "large" --goal 'every speedup >= 1 in large'
	new_refused "an unknown mode" 2 "use human, bank or none" --mode often
	new_refused "an unknown target" 2 "cpu" --target abacus
	new_refused "no threads" 2 "--threads 0" --threads 0
	new_refused "an unknown agent" 2 "nobody" --agent nobody
	new_refused "a script that is not there" 3 "no-such.json" --agent script:no-such.json
	new_refused "a held-out file that is not there" 3 "no-such.jsonl" --held-out no-such.jsonl
	new_refused "a yardstick of another kind" 2 "recorded times" --yardstick fast.py
	echo '{"name": "other", "times_us": {"n-18": 1}}' >"$top/home/times.json"
	new_refused "recorded times of another problem" 2 "n-18" --yardstick "$top/home/times.json"
	mkdir "$top/kept"
	echo mine >"$top/kept/file"
	refused "a folder with files in it" 3 "$top/kept" new --problem "$problem" "$top/kept"
	if [ "$(ls -A "$top/kept")" != file ]; then
		not_ok "a folder with files in it: something was written"
	fi
	rm -rf "$top/kept"
	refused "no problem" 2 "--problem is missing" new "$camp"
	small_problem "$problem"
	XDG_STATE_HOME='' HOME=/dev/null/none new_refused "a home that cannot be written" 3 \
		"set HOME or XDG_STATE_HOME to a folder"
	rm -rf "$problem"
	refused "an unknown operator" 2 "nonesuch: no such folder, and no shipped operator; there are " \
		new --problem nonesuch "$camp"
	has "an unknown operator" "$top/err" "rmsnorm"
	try_refuse_folders
}

# What is wrong with the folder itself.
try_refuse_folders() {
	refused "no folder" 3 "no such folder" new --problem "$top/none" "$camp"
	small_problem "$problem"
	refused "a file for a folder" 2 "give the folder" new \
		--problem "$problem/definition.json" "$camp"
	if [ "$(id -u)" -ne 0 ]; then
		chmod 0 "$problem"
		refused "an unreadable folder" 3 "Permission denied" new --problem "$problem" "$camp"
		chmod 755 "$problem"
	fi
	cp "$problem/seed.c" "$problem/seed.cpp"
	change_again definition.json 's/\["seed.c"\]/["seed.cpp"]/'
	new_refused "a seed in C++" 2 "'seed.cpp': sources for cpu end in .c"
	mkdir "$problem/src" && cp "$problem/seed.c" "$problem/src"
	change_again definition.json 's/\["seed.cpp"\]/["src\/seed.c"]/'
	new_refused "a seed in a subfolder" 2 "'src/seed.c' lies in a subfolder"
	rm -rf "$problem"
}

# ---- results ----

try_results() {
	rm -rf "$problem"
	small_problem "$problem"
	status_is "a campaign" 0 "$kseek" new --problem "$problem" --goal 'every scenario correct' \
		--goal 'geomean speedup >= 1.2' --mode human \
		--yardstick "$source_root/tests/eval/candidates/honest.c" "$camp"
	if [ "$failed" -ne 0 ] && [ ! -d "$camp" ]; then
		return
	fi
	refused "a second one in the same place" 3 "$camp" new --problem "$problem" "$camp"
	cd "$camp" || exit 1
	for f in campaign.json AGENTS.md problem/definition.json .kseek/log.jsonl; do
		[ -f "$f" ] && ok || not_ok "a campaign lacks $f"
	done
	kernel=$(ls ./*.c | head -n 1)
	status_is "the goal at the start" 1 "$kseek" goal
	status_is "stop without an engine" 0 "$kseek" stop
	status_is "say where nobody has to run" 0 "$kseek" say What does one call cost?
	has "say" "$top/out" "message 1 is in the log, for who works here"

	# The campaign lies in the temporary folder, which its compiler must not lack.
	status_is "the seed" 0 env -u TMPDIR "$kseek" eval --no-perf
	has "the seed" "$top/out" "n-4099"
	cp "$source_root/tests/eval/candidates/honest.c" "$kernel"
	status_is "a better kernel" 0 "$kseek" eval --json
	has "eval --json says its phases" "$top/err" "kseek eval: time, "
	is_json "eval" "$top/out"
	is_described "eval --json"
	has "eval" "$top/out" '"exit":0'
	has "eval" "$top/out" '"yardstick":'
	status_is "eval --json into one pipe" 0 eval \
		'"$kseek" eval --json --no-perf 2>&1 | cat >"$top/merged"'
	is_json "eval --json into one pipe" "$top/merged"
	cp "$source_root/tests/eval/candidates/wrong.c" "$kernel"
	status_is "a wrong kernel" 1 "$kseek" eval --no-perf
	sed 's/int64_t i/int64_t j/' "$source_root/tests/eval/candidates/honest.c" >"$kernel"
	status_is "a kernel that does not build" 4 "$kseek" eval
	has "a kernel that does not build" "$top/out" "error:"
	has "a kernel that does not build" "$top/out" "does not build"
	try_build_output
	cp "$source_root/tests/eval/candidates/crash.c" "$kernel"
	status_is "a kernel that crashes" 1 "$kseek" eval --no-perf
	status_is "a variant beside" 0 "$kseek" eval --no-perf --source \
		"$source_root/tests/eval/candidates/honest.c"
	refused "a scenario that is not there" 2 "no scenario 'n-18'" eval --only n-18
	refused "a set that is not there" 2 "no set 'large'" eval --set large
	refused "a source that is not there" 3 "no-such.c" eval --source no-such.c
	status_is "one scenario" 0 "$kseek" eval --only n-17 --no-perf --source \
		"$source_root/tests/eval/candidates/honest.c"
	lacks "one scenario" "$top/out" "n-4099"
	try_compiler
	try_gpus
	try_waiting
	try_full_output
	try_interrupt
	try_reports
}

# A compiler's flood is cut at the first errors, and speaks of the file that was given.
try_build_output() {
	{
		echo '#include "kseek_kernel.h"'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			echo "int f$i(void) { return nothing$i; }"
		done
	} >"$top/flood.c"
	status_is "a flood of errors" 4 "$kseek" eval --source "$top/flood.c"
	has "a flood of errors" "$top/out" "$top/flood.c:2:"
	lacks "a flood of errors" "$top/out" "kernel.c:"
	has "a flood of errors" "$top/out" "'kseek eval --json' has all"
	[ "$(wc -l <"$top/out")" -lt 50 ] && ok || not_ok "a flood of errors: is not cut" "$top/out"
}

# A compiler that cannot work is the machine's failure: no candidate has failed, and
# no moment comes of it. What the linker says of a candidate is the candidate's.
try_compiler() {
	mkdir -p "$top/bin"
	cat >"$top/bin/cc" <<END
#!/bin/sh
case \$(cat '$top/bin/mode') in
full)
	echo "/tmp/cc1.s: Fatal error: can't write 12 bytes to section .text: No space left on device"
	exit 1 ;;
killed) kill -9 \$\$ ;;
part) echo "cc: fatal error: Killed signal terminated program cc1"; exit 1 ;;
esac
exec cc "\$@"
END
	chmod +x "$top/bin/cc"
	"$kseek" stop >/dev/null 2>&1 # it has found its compiler already
	moments=$(grep -c '"kind":"moment.raised"' .kseek/log.jsonl)
	builds=$(grep -c '"stage":"build"' .kseek/log.jsonl)
	compiled "a compiler behind another" good 0 "n-17"
	compiled "a full disk" full 3 "cannot work here: it does not build the sealed seed either"
	has "a full disk" "$top/out" "No space left on device"
	compiled "a compiler that was killed" killed 3 "killed, which says nothing about the candidate"
	compiled "a part of it that was killed" part 3 "killed, which says nothing about"
	[ "$(grep -c '"stage":"build"' .kseek/log.jsonl)" = "$builds" ] && ok ||
		not_ok "a candidate has failed where the compiler has"
	[ "$(grep -c '"kind":"moment.raised"' .kseek/log.jsonl)" = "$moments" ] && ok ||
		not_ok "a moment where the compiler has failed"
	status_is "candidates that the compiler failed" 0 "$kseek" candidates --json
	has "candidates that the compiler failed" "$top/out" '"not_measured":"the compiler was killed'
	printf 'int nowhere(void);\nint used(void);\nint used(void) { return nowhere(); }\n' \
		>"$top/more.c"
	compiled "a candidate that cannot be linked" good 4 "nowhere"
	rm "$top/more.c"
	"$kseek" stop >/dev/null 2>&1
}

# compiled WHAT MODE STATUS TEXT: a new candidate, with more.c behind it.
compiled() {
	echo "$2" >"$top/bin/mode"
	{
		cat "$source_root/tests/eval/candidates/honest.c"
		echo "/* $1 */"
		cat "$top/more.c" 2>/dev/null
	} >"$top/variant.c"
	status_is "$1" "$3" env CC="$top/bin/cc" "$kseek" eval --no-perf --only n-17 \
		--source "$top/variant.c"
	has "$1" "$top/out" "$4"
}

# What a judge with several GPUs tells, of which one was left out: on the way to the
# table and to JSON. It is the judge of this build, and its lines name GPUs.
try_gpus() {
	mkdir -p "$top/lib"
	judge=$build/src/eval/kseek-judge
	[ -x "$judge" ] || judge=$build/libexec/kseek/kseek-judge
	cat >"$top/lib/kseek-judge" <<END
#!/bin/sh
echo '{"type":"note","level":"warn","text":"a GPU is left out: GPU-c: no memory"}'
"$judge" "\$@" | awk '/"type":"scenario"/ { n++
	sub(/"type":"scenario"/, "&,\"device\":\"GPU-" (n % 2 ? "a" : "b") "\"") }
	/"type":"scenario"/ && /"name":"n-17"/ { sub(/"speedup":[0-9.e+-]*/, "\"speedup\":99")
	sub(/"lo":[0-9.e+-]*/, "\"lo\":98"); sub(/"hi":[0-9.e+-]*/, "\"hi\":100") } { print }'
END
	chmod +x "$top/lib/kseek-judge"
	"$kseek" stop >/dev/null 2>&1 # it has found its judge already
	export KSEEK_LIBEXEC="$top/lib"
	variant=$top/gpus.c # a new one: figures that were confirmed would stay
	{ cat "$source_root/tests/eval/candidates/honest.c"; echo "/* on GPUs */"; } >"$variant"
	status_is "on two GPUs" 0 "$kseek" eval --only n-17 --only n-4099 --source "$variant"
	has "on two GPUs" "$top/out" " verdict gpu"
	has "on two GPUs" "$top/out" "gpu 1: GPU-a, 1 scenario"
	has "a speedup that is not the ratio of its times" "$top/out" " 99.00x*"
	has "a speedup that is not the ratio of its times" "$top/out" "* not the ratio of the two times"
	has "on two GPUs" "$top/out" "gpu 2: GPU-b, 1 scenario"
	has "on two GPUs" "$top/out" "note: a GPU is left out: GPU-c: no memory"
	status_is "on two GPUs, JSON" 0 "$kseek" eval --json --no-perf --only n-17 --source "$variant"
	is_json "on two GPUs" "$top/out"
	has "on two GPUs" "$top/out" '"device":"GPU-a"'
	has "on two GPUs" "$top/out" '"notes":["a GPU is left out: GPU-c: no memory"]'
	try_no_landlock
	unset KSEEK_LIBEXEC
	"$kseek" stop >/dev/null 2>&1
	status_is "candidates by scenario" 0 "$kseek" candidates champion
}

# Of a guard that a machine lacks, doctor says what stands open.
try_no_landlock() {
	printf '#!/bin/sh\necho '"'"'{"type":"doctor","Landlock":false}'"'\n" >"$top/lib/kseek-judge"
	status_is "doctor without Landlock" 0 "$kseek" doctor
	has "doctor without Landlock" "$top/out" "absent  Landlock"
	has "doctor without Landlock" "$top/out" "compilers can read homes and the campaign's folder"
}

# The evaluations that were asked for, without the engine's own: it looks twice at what
# seems a new champion, and noise may make one.
asked_for() {
	grep -c '"kind":"eval.queued","by":"human"' .kseek/log.jsonl
}

# A caller with a time limit asks again and gets the same evaluation, whether it still
# runs or has ended since. The judge begins when $top/go is there.
try_waiting() {
	mkdir "$top/slow"
	cat >"$top/slow/kseek-judge" <<END
#!/bin/sh
until [ -e "$top/go" ]; do sleep 0.1; done
exec "$judge" "\$@"
END
	chmod +x "$top/slow/kseek-judge"
	export KSEEK_LIBEXEC="$top/slow"
	"$kseek" stop >/dev/null 2>&1 # it has found its judge already
	asked_again "it runs" ""
	rm "$top/go"
	asked_again "it has ended" --no-perf
	cp -a "$camp" "$top/copy"
	status_is "a copy, while the engine runs" 3 in_camp "$top/copy" eval
	has "a copy, while the engine runs" "$top/err" "is a copy of $camp"
	rm -r "$top/copy"
	rm "$top/go"
	try_killed
	unset KSEEK_LIBEXEC
}

# asked_again WHEN OPTION
asked_again() {
	{ cat "$source_root/tests/eval/candidates/honest.c"; echo "/* $1 */"; } >"$kernel"
	before=$(asked_for)
	ended=$(grep -c '"kind":"eval.finished"' .kseek/log.jsonl)
	# shellcheck disable=SC2086
	status_is "a limit of waiting, $1" 3 "$kseek" eval --wait 1 $2
	has "a limit of waiting, $1" "$top/err" "call 'kseek eval' again"
	touch "$top/go"
	[ "$1" = "it runs" ] || until_true 60 has_ended $((ended + 1)) ||
		not_ok "asked again, $1: no end"
	# shellcheck disable=SC2086
	status_is "asked again, $1" 0 "$kseek" eval $2
	has "asked again, $1" "$top/out" "n-16384"
	[ "$(asked_for)" -eq $((before + 1)) ] && ok || not_ok "asked again, $1: measured anew"
}

has_ended() {
	[ "$(grep -c '"kind":"eval.finished"' .kseek/log.jsonl)" -ge "$1" ]
}

# Who waits when the engine dies is told what to do, and it works.
try_killed() {
	{ cat "$source_root/tests/eval/candidates/honest.c"; echo "/* killed */"; } >"$kernel"
	queued=$(($(grep -c '"kind":"eval.started"' .kseek/log.jsonl) + 1))
	"$kseek" eval >"$top/out" 2>"$top/err" &
	waits=$!
	until_true 30 started "$queued" || not_ok "no evaluation has started"
	if ! grep -q '^Max core file size  *0  *0 ' "/proc/$(engine_pid "$camp")/limits"; then
		not_ok "the engine may leave a core file, and a key in it"
	fi
	kill -9 "$(engine_pid "$camp")"
	wait "$waits"
	[ $? -eq 3 ] && ok || not_ok "the engine was killed: not status 3" "$top/err"
	has "the engine was killed" "$top/err" "call 'kseek eval' again"
	touch "$top/go"
	status_is "after the engine was killed" 0 "$kseek" eval --no-perf
}

started() {
	[ "$(grep -c '"kind":"eval.started"' .kseek/log.jsonl)" -ge "$1" ]
}

# What has nothing to do with candidates works without the repository; what has says so.
try_no_repository() {
	"$kseek" stop >/dev/null 2>&1
	mv .git "$top/tmp/git"
	status_is "a note without a repository" 0 "$kseek" say --note "nothing to do with candidates"
	for words in "diff seed 1" "eval"; do
		# shellcheck disable=SC2086
		status_is "$words without a repository" 3 "$kseek" $words
		cat "$top/out" >>"$top/err"
		has "$words without a repository" "$top/err" "$camp: no .git in it"
	done
	"$kseek" stop >/dev/null 2>&1
	mv "$top/tmp/git" .git
}

# What only reads goes on, and says what eval will refuse.
try_broken_config() {
	cp campaign.json "$top/tmp/campaign.json"
	sed 's/"cpu"/"abacus"/' "$top/tmp/campaign.json" >campaign.json
	for sub in status candidates export moments; do
		status_is "$sub with a broken campaign.json" 0 "$kseek" "$sub"
		has "$sub with a broken campaign.json" "$top/err" "kseek $sub: warning: "
		has "$sub with a broken campaign.json" "$top/err" "eval and steer refuse it"
		[ "$(wc -l <"$top/err")" -eq 1 ] && ok || not_ok "$sub: not one line" "$top/err"
	done
	mv "$top/tmp/campaign.json" campaign.json
	status_is "status" 0 "$kseek" status
	[ -s "$top/err" ] && not_ok "status: a warning without a cause" "$top/err"
}

# Without a terminal it says that it follows the log.
try_steer_plain() {
	"$kseek" steer </dev/null >"$top/plain" 2>&1 &
	waits=$!
	until_true 30 grep -q "follows as lines" "$top/plain" || not_ok "steer: does not say it is plain"
	until_true 30 grep -q " agent  " "$top/plain"
	echo "/* mine */" >>problem/seed.c
	until_true 30 grep -q "problem/seed.c was edited; evaluations use the sealed copy" "$top/plain" && ok ||
		not_ok "an edit of the sealed seed" "$top/plain"
	try_copy
	until_true 30 follows_no_more || not_ok "steer: goes on after a stop" "$top/plain"
	wait "$waits"
}

# A stop that comes before the engine listens finds nothing to stop.
follows_no_more() {
	"$kseek" stop >/dev/null 2>&1
	! kill -0 "$waits" 2>/dev/null
}

# What a crash or an editor left behind a log's last whole line is put aside.
try_torn() {
	until_true 10 no_engine "$camp"
	printf '{"seq":9999,"t":17,"kind":"note.ad' >>.kseek/log.jsonl
	status_is "status of a torn log" 0 "$kseek" status
	status_is "a note behind a torn line" 0 "$kseek" say --note "after the tear"
	status_is "stop" 0 "$kseek" stop
	is_json "a torn log" .kseek/log.jsonl
	has "a torn log" .kseek/log.jsonl "after the tear"
	has "a torn log" .kseek/log.jsonl "torn line"
	chain_fits "$camp"
	# A line that was changed is seen.
	cp .kseek/log.jsonl "$top/log.keep"
	sed 's/after the tear/after the TEAR/' "$top/log.keep" >.kseek/log.jsonl
	status_is "a changed log" 1 "$kseek" reindex
	cp "$top/log.keep" .kseek/log.jsonl
	chain_fits "$camp"
}

try_reports() {
	"$kseek" goal >"$top/out" 2>"$top/err"
	[ $? -le 1 ] && ok || not_ok "goal" "$top/err"
	has "goal" "$top/out" "every scenario correct"
	has "goal" "$top/out" "clauses hold"
	for words in "status" "goal" "candidates" "candidates 1" "candidates champion" \
		"diff seed 1" "moments" "bank list" "bank search roofline" "queue" "agent" "permit" \
		"status --scenarios" "bank show V-01" "bank lint" "doctor"; do
		# The words are words of this script.
		# shellcheck disable=SC2086
		"$kseek" $words --json >"$top/out" 2>"$top/err"
		[ $? -le 1 ] && ok || not_ok "$words" "$top/err"
		is_json "$words --json" "$top/out"
		is_described "$words --json"
	done
	for words in "queue hello" "agent modes" "permit allow" "bank add x.json"; do
		# shellcheck disable=SC2086
		refused "$words --json" 2 "--json" $words --json
	done
	refused "an agent to start where there is none" 2 "manual" agent start
	refused "no mode" 2 "kseek agent modes" agent mode
	refused "two pictures" 2 "give one of them" replay --svg "$top/a" --cast "$top/b"
	refused "no theme" 2 "--theme foo: use" steer --theme foo --plain
	refused "no theme of a recorded one" 2 "--theme foo: use" replay --theme foo --print
	refused "an offer that is not there" 2 "--offer" say --offer 9
	refused "a moment that is not there" 2 "'kseek moments' lists them" say --moment 99 hello
	refused "a question that is not there" 2 "'kseek bank' lists them" say --question Z-99 hello
	refused "a message that does not wait" 2 "'kseek queue' lists those" queue --drop 99
	refused "words for no message" 2 "words go with --edit ID" queue drop 99
	refused "an answer to nothing" 2 "'kseek permit' lists what is" permit 99 allow
	status_is "status" 0 "$kseek" status
	has "status" "$top/out" "3 scenarios"
	has "status" "$top/out" " candidates over 3 scenarios; champion"
	try_broken_config
	status_is "the list of questions" 0 "$kseek" bank list
	has "the list of questions" "$top/out" "questions: "
	has "the list of questions" "$top/out" " core, "
	has "the list of questions" "$top/out" " of plug-ins and checklists"
	status_is "scenarios" 0 "$kseek" status --scenarios
	has "scenarios" "$top/out" "n-16384"
	status_is "diff" 0 "$kseek" diff seed c2
	has "diff" "$top/out" "+"
	has "diff" "$top/out" "geomean"
	refused "a candidate that is not there" 2 "no candidate 'c99'" candidates c99
	refused "a diff with nothing" 2 "no candidate 'c99'" diff seed c99
	try_no_repository
	status_is "a note" 0 "$kseek" say --note "looked at the table"
	status_is "export" 0 "$kseek" export
	has "export" "$top/out" "looked at the table"
	has "export" "$top/out" "nothing to do with candidates"
	mv "$top/out" "$top/whole"
	status_is "export of a folder" 0 "$kseek" export "$camp"
	cmp -s "$top/out" "$top/whole" && ok || not_ok "export of a folder: is not that of the campaign"
	mv "$top/whole" "$top/out"
	has "export" "$top/out" "What does one call cost?"
	status_is "export to a file" 0 "$kseek" export --format jsonl --output "$top/t.jsonl"
	is_json "export" "$top/t.jsonl"
	refused "an export to nowhere" 3 "$top/none/t" export --output "$top/none/t"
	printf '{"text":"This is the hardware limit."}\n' >"$top/sentences"
	status_is "sentences" 0 "$kseek" moments classify "$top/sentences"
	is_json "sentences" "$top/out"
	status_is "moments afresh" 0 "$kseek" moments replay .kseek/log.jsonl
	status_is "replay" 0 "$kseek" replay .kseek/log.jsonl
	status_is "lint of the bank" 0 "$kseek" bank lint
	if command -v objdump >/dev/null; then
		status_is "a dry run" 0 "$kseek" bank dryrun X-02 --json --out "$top/runs.json"
		is_json "a dry run" "$top/out"
	fi
	refused "a dry run that was not written" 3 "has no recipe" bank dryrun C-04
	status_is "a question of this campaign" 0 "$kseek" bank show M-02
	has "a question of this campaign" "$top/out" "  here: In "
	if grep 'here:' "$top/out" | grep -q '[{}]'; then
		not_ok "a question of this campaign: not filled in" "$top/out"
	fi
	status_is "stop" 0 "$kseek" stop
	try_steer_plain
	chain_fits "$camp"
	try_history
	try_torn
	until_true 10 no_engine "$camp" || not_ok "an engine is left behind"
	cd "$top" || exit 1
}

# is_described WHAT: docs/json.md names each member of the JSON in $top/out.
is_described() {
	for key in $(grep -o '"[a-z_]*":' "$top/out" | tr -d '":' | sort -u); do
		grep -q "\`$key\`" "$source_root/docs/json.md" || not_ok "$1: docs/json.md lacks $key"
	done
}

# A copy that has lost the name of the socket cannot start an engine beside.
# A status speaks only for what was written.
try_full_output() {
	for words in "goal" "status --json" "bank list" "version"; do
		# shellcheck disable=SC2086
		"$kseek" $words >/dev/full 2>"$top/err"
		[ $? -eq 3 ] && ok || not_ok "$words to a full device" "$top/err"
		has "$words to a full device" "$top/err" "standard output: "
		[ "$(wc -l <"$top/err")" -eq 1 ] && ok || not_ok "$words: not one line" "$top/err"
	done
	"$kseek" bank list 2>"$top/err" | head -n 1 >"$top/out"
	[ -s "$top/err" ] && not_ok "a reader that has left" "$top/err" || ok
}

# Ctrl-C while a campaign is made, early and late: nothing goes on, nothing is left.
try_interrupt() {
	mkdir -p "$top/ctrl"
	for after in 0.1 0.7; do
		"$kseek" new --problem "$problem" "$top/ctrl/c" >"$top/out" 2>"$top/err" &
		maker=$!
		sleep $after
		kill -INT $maker 2>/dev/null
		wait $maker
		got=$?
		if [ $got -eq 0 ]; then
			ok # it was quicker
			rm -rf "$top/ctrl/c"
			continue
		fi
		[ $got -eq 3 ] && ok || not_ok "interrupted at $after: exit status $got" "$top/err"
		has "interrupted at $after" "$top/err" "stopped; nothing was made"
		[ -z "$(ls "$top/ctrl")" ] && ok || not_ok "interrupted at $after: $(ls "$top/ctrl") is left"
	done
}

try_copy() {
	until_true 30 [ -s .kseek/engine ] || not_ok "no engine to copy beside"
	cp -a "$camp" "$top/copy"
	rm -f "$top/copy/.kseek/engine"
	status_is "an engine for a copy" 3 in_camp "$top/copy" say --note hello
	has "an engine for a copy" "$top/err" "the engine of another folder serves this campaign"
	rm -rf "$top/copy"
}

# Plain git shows the candidates with their notes, and nothing else was touched.
try_history() {
	command -v git >/dev/null || return
	git log --format=%s%n%N candidates >"$top/out" 2>"$top/err" || not_ok "git log" "$top/err"
	has "notes in git log" "$top/out" "n-4099"
	status_is "the repository" 0 git fsck --strict
}

# ---- installed ----

try_install() {
	command -v meson >/dev/null || { not_ok "no meson"; return; }
	[ -f "$build/build.ninja" ] || return
	status_is "meson install" 0 env DESTDIR="$top/dest" meson install -C "$build" --no-rebuild
	from=$(find "$top/dest" -name kseek -path '*/bin/*' | head -n 1)
	[ -n "$from" ] || { not_ok "no kseek was installed" "$top/out"; return; }
	# Elsewhere, and with a blank in its path.
	there="$top/moved here"
	mv "$(dirname "$(dirname "$from")")" "$there"
	rm -rf "$top/dest"
	built=$kseek
	kseek=$there/bin/kseek
	status_is "doctor of a moved installation" 0 "$kseek" doctor
	has "doctor of a moved installation" "$top/out" "$there"
	has "doctor of a moved installation" "$top/out" "kseek can work here"
	lacks "doctor of a moved installation" "$top/out" "$build"
	lacks "doctor of a moved installation" "$top/out" "$source_root"
	status_is "the bank of a moved installation" 0 "$kseek" bank list
	status_is "a shipped operator" 0 "$kseek" new --problem rmsnorm "$top/i"
	status_is "the seed of a shipped operator" 0 in_camp "$top/i" eval --no-perf
	status_is "stop" 0 in_camp "$top/i" stop
	try_manual "$(find "$there" -name 'kseek.1*' | head -n 1)"
	try_completion "$(find "$there" -path '*bash-completion*' -name kseek | head -n 1)"
	kseek=$built
	rm -rf "$there" "$top/i"
}

try_manual() {
	[ -n "$1" ] || { not_ok "no man page was installed"; return; }
	if command -v groff >/dev/null; then
		status_is "the man page" 0 groff -man -Tascii -ww "$1"
	elif command -v man >/dev/null; then
		status_is "the man page" 0 env MANPAGER=cat man -l "$1"
	else
		return
	fi
	[ -s "$top/err" ] && not_ok "the man page: warnings" "$top/err"
	for sub in $("$kseek" --commands); do
		has "the man page" "$1" "$sub"
	done
}

try_completion() {
	[ -n "$1" ] || { not_ok "no completion was installed"; return; }
	command -v bash >/dev/null || return
	status_is "completion" 0 env PATH="$there/bin:$PATH" bash --norc -c \
		'. "$1" && COMP_WORDS=(kseek ste) COMP_CWORD=1 && f=$(complete -p kseek) &&
		f=${f#*-F } && "${f%% *}" kseek ste kseek && printf "%s\n" "${COMPREPLY[@]}"' sh "$1"
	has "completion" "$top/out" "steer"
}

for part in $parts; do
	case $part in
	help) try_help && try_no_campaign ;;
	refuse)
		try_refuse_scenarios
		try_refuse_definition
		try_refuse_sources
		try_refuse_options
		;;
	results) try_results ;;
	install) try_install ;;
	*) echo "cli: no part $part" >&2; exit 2 ;;
	esac
done
