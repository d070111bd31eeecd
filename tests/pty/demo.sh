#!/bin/sh
# The demo from its start to its goal, steered by keys as a person would: at
# each banner a, a digit, Enter. Takes as long as the demo: up to five minutes.
# usage: demo.sh BUILD [DIGIT]
set -u
. "$(dirname "$0")/lib.sh"
pty_begin demo "$1"
digit=${2:-1}
limit_s=${KSEEK_DEMO_LIMIT:-400}
command -v tmux >/dev/null || skip "no tmux"
camp=$top/demo
log=$camp/.kseek/log.jsonl

log_has() {
	grep -qF -- "$1" "$log" 2>/dev/null
}

now_s() {
	cut -d . -f 1 /proc/uptime
}

# Id of the moment that waits for an answer, or nothing.
open_moment() {
	awk '
		function id() { match($0, /"moment":[0-9]+/); return substr($0, RSTART + 9, RLENGTH - 9) }
		/"kind":"moment.raised"/ { open = id() }
		/"kind":"moment.(answered|dismissed)"/ { if (id() == open) open = "" }
		END { print open }' "$log" 2>/dev/null
}

closed() {
	[ "$(open_moment)" != "$1" ]
}

# The prompt holds a question of the bank: " to plateau, C-02 ".
asks() {
	screen | grep -Eq ' to [a-z ]+, [A-Z]-[0-9]+ '
}

answer() { # MOMENT
	# The log may know of a moment before the console does.
	for try in 1 2 3 4 5; do
		keys a
		until_true 2 screen_has "z dismiss" && break
		closed "$1" && return
	done
	sleep 0.6
	keys "$digit"
	# The question is in the prompt, and says what it answers.
	if until_true 5 asks; then
		ok
	elif ! closed "$1"; then
		screen >"$top/screen"
		not_ok "moment $1: the digit puts no question into the prompt" "$top/screen"
	fi
	if closed "$1"; then
		# The bank was faster; its question is not sent twice.
		keys C-c
		esc
		return
	fi
	keys Enter
	until_true 10 closed "$1" || not_ok "moment $1 is not answered" "$top/screen"
}

nothing_runs() {
	[ -z "$(pty_ours)" ]
}

ended() {
	log_has '"kind":"agent.exited"'
}

steer_to_goal() {
	start=$(now_s)
	while ! log_has '"met":true' && ! ended; do
		if [ $(($(now_s) - start)) -gt "$limit_s" ]; then
			not_ok "no goal within $limit_s s"
			return
		fi
		moment=$(open_moment)
		if [ -n "$moment" ]; then
			answer "$moment"
		else
			sleep 0.2
		fi
	done
	echo "demo: $(($(now_s) - start)) s from the first prompt to the end"
}

terminal 120 40
run_line "clear; '$kseek' demo '$camp'"
see " Live " 60
see "script"
see "start"
steer_to_goal
for kind in start plateau limit completion win break; do
	if log_has "\"moment_kind\":\"$kind\""; then
		ok
	else
		grep -o '"moment_kind":"[a-z]*","evidence":"[^"]*"' "$log" >"$top/out"
		not_ok "no moment of the kind $kind" "$top/out"
	fi
done
status_is "the goal" 0 in_camp "$camp" goal
see "met"
answered=$(grep -c '"kind":"moment.answered"' "$log")
asked=$(grep '"kind":"message.sent"' "$log" | grep '"via":"console"' | grep -c '"question":"[A-Z]')
[ "$asked" -ge 6 ] && ok || not_ok "only $asked questions were sent from the console"
echo "demo: $answered moments answered, $asked with a question from the console," \
	"$(grep -c '"kind":"candidate.committed"' "$log") candidates"
[ "$(grep -c '"kind":"candidate.committed"' "$log")" -ge 10 ] && ok || not_ok "too few candidates"

# Champion against seed.
esc
keys ':'
typed 'diff seed champion'
keys Enter
see "seed 1.00x"
see "@@"
keys G
esc
gone "seed 1.00x"
keys x
see "written: "
[ -s "$camp/transcript.md" ] && ok || not_ok "no transcript"
for kind in start plateau limit completion win break; do
	has "the transcript" "$camp/transcript.md" "$kind"
done
keys q
see "detach"
keys s
until_true 20 no_engine "$camp" || not_ok "the engine does not stop"
see 'pty$'
status_is "the diff" 0 in_camp "$camp" diff seed champion
has "the diff" "$top/out" "geomean"
status_is "moments" 0 in_camp "$camp" moments
chain_fits "$camp"
if ! until_true 10 nothing_runs; then
	pty_ours >"$top/out"
	not_ok "left behind" "$top/out"
fi
