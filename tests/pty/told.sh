#!/bin/sh
# What a person is told without asking: of a yardstick that does not build, of times
# that are old, of a wait and its limit, of a repository that is gone, of what goes on
# behind; and what those see who may only read.
# usage: told.sh BUILD
set -u
. "$(dirname "$0")/lib.sh"
pty_begin told "$1"
problem=$top/problem
camp=$top/c

# A call of the seed that never ends; more threads than any machine of today has.
try_hang() {
	small_problem "$problem"
	sed 's/return 0;/for (;;) {}/' "$source_root/tests/eval/problem/seed.c" >"$problem/seed.c"
	status_is "a seed that hangs" 2 "$kseek" new --problem "$problem" --threads 1024 "$camp"
	has "a seed that hangs" "$top/out" "a call may take 10 s, one of the reference 60 s"
	has "a seed that hangs" "$top/err" "at work for 5 s"
	has "a seed that hangs" "$top/err" "the seed took longer than 10000 ms"
	has "many threads" "$top/err" "warning: --threads 1024: this machine has"
	rm -rf "$problem"
}

# Answers that are not finite: the reference may do right by inputs that are wrong.
try_infinite() {
	small_problem "$problem"
	sed 's/(float)sum/(float)(sum \/ (n - n))/' "$source_root/tests/eval/problem/reference.c" \
		>"$problem/reference.c"
	status_is "an infinite reference" 2 "$kseek" new --problem "$problem" "$camp"
	has "an infinite reference" "$top/err" "mend the reference, or how its inputs are made"
	rm -rf "$problem"
}

try_yardstick() {
	small_problem "$problem"
	printf 'int blend(void)\n{\n\treturn nothing;\n}\n' >"$top/slow.c"
	status_is "a yardstick that does not build" 0 "$kseek" new --problem "$problem" \
		--yardstick "$top/slow.c" "$camp"
	has "a yardstick that does not build" "$top/out" \
		"warning: the table will have no yardstick: the yardstick does not build: yardstick/slow.c:3"
	printf 'int nowhere(void);\nint blend(void)\n{\n\treturn nowhere();\n}\n' >"$top/lost.c"
	status_is "a yardstick without its library" 0 "$kseek" new --problem "$problem" \
		--yardstick "$top/lost.c" "$top/d"
	has "a yardstick without its library" "$top/out" "undefined reference to \`nowhere'"
	rm -r "$top/d"
	status_is "a yardstick that builds" 0 "$kseek" new --problem "$problem" \
		--yardstick "$source_root/tests/eval/candidates/honest.c" "$top/d"
	lacks "a yardstick that builds" "$top/out" "warning"
	rm -r "$top/d"
	# One that stands on a library.
	{
		echo '#include <libelf.h>'
		sed 's/^{$/{ elf_version(EV_CURRENT);/' "$source_root/tests/eval/candidates/honest.c"
	} >"$top/lib.c"
	status_is "a yardstick with its library" 0 "$kseek" new --problem "$problem" \
		--yardstick "$top/lib.c" --yardstick-flags -lelf "$top/d"
	lacks "a yardstick with its library" "$top/out" "warning"
	cd "$top/d" || exit 1
	status_is "against a library" 0 "$kseek" eval
	has "against a library" "$top/out" "yard: speedup of lib over the seed"
	"$kseek" eval --json >"$top/out"
	has "against a library" "$top/out" '"yardstick":'
	"$kseek" stop >/dev/null
	cd "$top" || exit 1
	rm -r "$top/d"
}

try_times() {
	cd "$camp" || exit 1
	cp "$source_root/tests/eval/candidates/honest.c" "$(ls ./*.c | head -n 1)"
	status_is "without times" 0 "$kseek" eval --no-perf
	lacks "without times" "$top/out" "--no-perf takes none"
	status_is "another's clauses" 1 "$kseek" goal
	has "another's clauses" "$top/out" \
		"these are the clauses of candidate 1; the champion is the seed, 1.000x"
	status_is "another's clauses as JSON" 1 "$kseek" goal --json
	has "another's clauses as JSON" "$top/out" '"candidate":1'
	status_is "with times" 0 "$kseek" eval
	has "with times" "$top/out" "yard: none of slow: yardstick/slow.c:3"
	lacks "with times" "$top/out" "--no-perf takes none"
	status_is "old times" 0 "$kseek" eval --no-perf
	has "old times" "$top/out" \
		"the times are of an earlier evaluation of these sources: --no-perf takes none"
	status_is "a note" 0 "$kseek" say --note "looked at it"
	has "a note" "$top/out" "the note is in the log"
}

# A repository that goes while the engine has it open, and one that comes back.
try_repository() {
	"$kseek" steer </dev/null >"$top/plain" 2>&1 &
	follows=$!
	until_true 30 grep -q "follows as lines" "$top/plain" || not_ok "no engine came" "$top/plain"
	status_is "a difference" 0 "$kseek" diff seed c1
	mv .git "$top/git"
	for words in "diff seed c1" "eval --no-perf"; do
		# shellcheck disable=SC2086
		status_is "$words without .git" 3 "$kseek" $words
		cat "$top/out" >>"$top/err"
		has "$words without .git" "$top/err" "$camp: no .git in it"
	done
	status_is "candidates without .git" 0 "$kseek" candidates
	has "candidates without .git" "$top/err" "kseek candidates: warning: $camp: no .git in it"
	status_is "doctor without .git" 3 "$kseek" doctor
	has "doctor without .git" "$top/out" "BROKEN  campaign                   $camp: no .git in it"
	mv "$top/git" .git
	status_is "doctor with it" 0 "$kseek" doctor
	has "doctor with it" "$top/out" "ok      campaign                   $camp"
	status_is "with it again" 0 "$kseek" diff seed c1
	status_is "candidates with it" 0 "$kseek" candidates
	[ -s "$top/err" ] && not_ok "candidates with it: a warning" "$top/err"
	kill -INT "$follows"
	wait "$follows"
	has "who leaves" "$top/plain" "detached: the engine goes on; 'kseek steer' comes back, 'kseek stop' ends it"
	"$kseek" stop >/dev/null 2>&1
}

# A source that is gone, and the command that is named brings it back.
brought_back() {
	cp -- "./$1" "$top/kept.c"
	rm -- "./$1"
	status_is "without $1" 3 "$kseek" eval --no-perf
	has "without $1" "$top/err" "$1 is not in $camp any more"
	eval "$(sed -n 's/.*, by: //p' "$top/err")"
	cmp -s -- "./$1" "$top/kept.c" && ok || not_ok "$1 is not back" "$top/err"
}

try_removed() {
	brought_back kernel.c
}

try_odd_name() {
	mv kernel.c "./-it's a kernel.c"
	sed -i "s/\"kernel.c\"/\"-it's a kernel.c\"/" campaign.json
	"$kseek" stop >/dev/null 2>&1 # an engine that goes on knows the old name
	status_is "an odd name" 0 "$kseek" eval --no-perf
	brought_back "-it's a kernel.c"
}

# Another campaign has the device, and one's own first asker has the engine.
try_wait() {
	mkfifo "$top/hold"
	# Who has the lock signs with its process, which a judge starts in its campaign.
	(mkdir -p "$top/other/.kseek/scratch/1" && cd "$top/other/.kseek/scratch/1" &&
		exec flock "$top/run/kseek-cpu-0.lock" cat "$top/hold") &
	until_true 10 eval '! flock -n "$top/run/kseek-cpu-0.lock" true'
	exec 3>"$top/hold"
	printf '%-10d\n' $! >"$top/run/kseek-cpu-0.lock"
	echo "/* waits */" >>kernel.c
	"$kseek" eval --no-perf >"$top/out" 2>"$top/first" 3>&- &
	first=$!
	until_true 20 grep -qs " s by now: another evaluation is measuring on this machine (in $top/other, process" \
		"$top/first" && ok || not_ok "no word of a wait" "$top/first"
	echo "/* behind it */" >>kernel.c
	"$kseek" eval --json --no-perf >"$top/out" 2>"$top/second" 3>&- &
	second=$!
	until_true 20 grep -qs "s by now: candidate 2 is measured first" "$top/second" && ok ||
		not_ok "no word of the one before" "$top/second"
	"$kseek" eval --no-perf >"$top/out" 2>"$top/third" 3>&- &
	third=$!
	until_true 20 grep -qs "s by now: " "$top/third"
	kill -INT $third
	wait $third
	has "who interrupts eval" "$top/third" "the evaluation goes on; 'kseek eval' again waits for it"
	exec 3>&-
	wait $first && wait $second && ok || not_ok "waited in vain" "$top/first" "$top/second"
}

# What was changed is in the transcript also where no agent has told of an edit.
try_changes() {
	status_is "export by hand" 0 "$kseek" export
	has "export by hand" "$top/out" "**c1**, from seed: +"
	has "export by hand" "$top/out" "diff --git a/kernel.c b/kernel.c"
	has "export by hand" "$top/out" "+/* Four sums side by side. */"
	has "export by hand" "$top/out" "**c3**, from c2: +1 -0"
	has "export by hand" "$top/out" "+/* behind it */"
}

# kseek as somebody who may read the folder and nothing more: another user, or, where
# that one does not reach the programs (below a closed home), root without its leave to
# pass over modes.
reader() {
	as=
	if [ "$(id -u)" -eq 0 ]; then
		as="setpriv --reuid 65534 --regid 65534 --clear-groups"
		$as test -x "$kseek" || as="setpriv --bounding-set -dac_override,-dac_read_search"
	fi
	# shellcheck disable=SC2086
	(cd "$top/ro" && exec $as env HOME=/ XDG_RUNTIME_DIR= XDG_STATE_HOME= XDG_CACHE_HOME= \
		TMPDIR= "$kseek" "$@")
}

try_read_only() {
	"$kseek" stop >/dev/null 2>&1
	cp -a "$camp" "$top/ro"
	chmod -R a+rX,a-w "$top/ro"
	chmod a+rx "$top"
	for words in "diff seed c1" "candidates" "candidates c1" "status" "goal" "export" "moments" \
		"replay --plain" "replay --print" "status --scenarios"; do
		# shellcheck disable=SC2086
		status_is "$words without leave to write" 0 reader $words
		[ -s "$top/err" ] && not_ok "$words: complains" "$top/err"
	done
	status_is "a picture into a pipe" 0 reader replay --print
	has "a picture into a pipe" "$top/out" " Live "
	lacks "a picture into a pipe" "$top/out" "$(printf '\033')"
	status_is "eval without leave to write" 3 reader eval
	has "eval without leave to write" "$top/err" "cannot be written"
	[ "$(wc -l <"$top/err")" -eq 1 ] && ok || not_ok "eval: not one line" "$top/err"
	chmod -R u+w "$top/ro"
}

# Whether the log is as its writer left it.
try_log() {
	status_is "doctor" 0 "$kseek" doctor
	has "doctor" "$top/out" "ok      log                        whole: "
	sed 's/"parent":1/"parent":0/' .kseek/log.jsonl >"$top/ro/.kseek/log.jsonl"
	status_is "doctor of a changed log" 3 "$kseek" doctor "$top/ro"
	has "doctor of a changed log" "$top/out" \
		"BROKEN  log                        the log was changed by hand: bytes "
	status_is "doctor of no campaign" 3 "$kseek" doctor "$top/tmp"
	mkdir "$top/recorded"
	mv "$top/ro/.kseek/log.jsonl" "$top/recorded"
	status_is "a log that is gone" 3 in_camp "$top/ro" status
	has "a log that is gone" "$top/err" "the campaign's log is gone; bring .kseek back from a copy"
	status_is "a folder with a log" 0 "$kseek" replay --plain "$top/recorded"
	has "a folder with a log" "$top/out" "candidate"
	status_is "the agent by hand" 0 "$kseek" agent
	has "the agent by hand" "$top/out" "manual: whoever works in this folder"
}

try_hang
try_infinite
try_yardstick
try_times
try_repository
try_removed
try_wait
try_changes
try_read_only
try_log
try_odd_name
pty_end
