#!/bin/sh
# The console in a real terminal: three sizes, keys, typing, resizing, leaving
# in every way, a second console, other locales, hostile text.
# usage: console.sh BUILD [PART...]
#   parts: sizes typing keyfile resize suspend signals second locales hostile banner wait
set -u
. "$(dirname "$0")/lib.sh"
pty_begin console "$1"
shift
parts=${*:-sizes typing keyfile resize suspend signals second locales hostile banner wait}
command -v tmux >/dev/null || skip "no tmux"
camp=$top/c

make_campaign() { # DIR WORDS...
	dir=$1
	shift
	[ -d "$top/p" ] || small_problem "$top/p"
	status_is "a campaign" 0 "$kseek" new --problem "$top/p" --goal 'every scenario correct' \
		--goal 'geomean speedup >= 1.2' "$@" "$dir"
	[ -d "$dir" ] || exit 1
}

# steer [WORDS...]: a console in the pane; WORDS may begin with NAME=VALUE.
begin_steer() {
	run_line "clear; cd '$camp'; stty -g >'$top/before'; $* '$kseek' steer; stty -g >'$top/after'"
}

steer() {
	begin_steer "$@"
	see " Live " 15
}

# The console that runs in the pane.
console_pid() {
	tty=$(mux display -p -t "$pane" '#{pane_tty}')
	for pid in $(pty_ours | sed -n 's/ kseek$//p'); do
		[ "$(readlink "/proc/$pid/fd/0")" = "$tty" ] && echo "$pid"
	done | head -n 1
}

has_console() {
	[ -n "$(console_pid)" ]
}

no_console() {
	[ -z "$(console_pid)" ]
}

leave() {
	gone "waiting for the engine"
	keys q
	see "detach"
	keys d
	see "detached: the engine goes on; 'kseek steer' comes back," # and wraps where it is narrow
	at_prompt "after detaching"
}

# The shell has its terminal back as it was.
at_prompt() {
	until_true 5 no_console || not_ok "$1: the console still runs"
	mode_is alternate_on 0 || not_ok "$1: the other screen is still on"
	mode_is cursor_flag 1 || not_ok "$1: the cursor is still hidden"
	mode_is mouse_any_flag 0 || not_ok "$1: mouse reports are still on"
	mode_is keypad_flag 0 || not_ok "$1: keypad mode is still on"
	until_true 5 test -s "$top/after" || not_ok "$1: no shell"
	cmp -s "$top/before" "$top/after" || not_ok "$1: the line discipline is another"
	rm -f "$top/after"
	run_line 'echo al''ive'
	see "alive"
}

log_has() {
	grep -qF -- "$1" "$camp/.kseek/log.jsonl"
}

logged() { # WHAT TEXT
	if until_true 10 log_has "$2"; then
		ok
	else
		tail -n 5 "$camp/.kseek/log.jsonl" | cut -c1-300 >"$top/tail"
		not_ok "$1: not in the log: $2" "$top/tail"
	fi
}

# ---- parts ----

try_size() {
	terminal "$1" "$2"
	steer
	see "goal 0/2"
	see "moment"
	see "? help"
	keys '?'
	see "Keys and commands"
	keys Escape # a bare one; behind it nothing, until it has worked
	gone "Keys and commands"
	keys c
	see "Candidates"
	esc
	keys b
	see "answered by:"
	esc
	keys s
	see "n-16384"
	esc
	keys o
	see "the goal is not met"
	esc
	keys m
	see "Moments"
	esc
	keys ':'
	typed 'nonesuch'
	keys Enter
	see 'no command "nonesuch"'
	keys q
	see "detach"
	esc
	gone "stop agent and engine"
	# Esc and keys that mean nothing never leave.
	esc
	esc
	esc
	keys Z
	see "? "
	[ -n "$(console_pid)" ] && ok || not_ok "Esc left the console"
	leave
}

try_sizes() {
	try_size 80 24
	try_size 120 40
	try_size 200 50
}

try_typing() {
	terminal 100 30
	steer
	keys i
	typed 'one two three'
	see '> one two three'
	keys C-a
	typed 'zero '
	see '> zero one two three'
	keys C-e
	keys C-w
	gone 'three'
	keys C-y
	see '> zero one two three'
	keys C-u
	gone 'zero'
	keys C-g
	see '> zero one two three'
	keys BSpace BSpace BSpace BSpace BSpace
	typed 'five'
	keys Left Left Left Left Home Right Delete
	see '> zro one two five'
	esc
	# The draft is kept, and what follows are commands again.
	see '> zro one two five'
	keys c
	see "Candidates"
	esc
	leave
	steer
	see '> zro one two five'
	keys i C-u
	typed 'a question with é, 漢字 and "quotes"'
	keys Enter
	logged "a message" 'a question with é, 漢字 and \"quotes\"'
	see "漢字"
	# A paste is one block and sends nothing.
	keys i
	seq 1 40 | sed 's/^/q pasted line /' | mux load-buffer -
	mux paste-buffer -p -t "$pane"
	see "40 lines pasted"
	[ -n "$(console_pid)" ] && ok || not_ok "a paste left the console"
	log_has 'pasted line' && not_ok "a paste was sent"
	keys Enter
	logged "a paste that was sent" 'q pasted line 40'
	keys r
	see "note>"
	typed 'a remark'
	keys Enter
	logged "a note" '"text":"a remark"'
	keys M
	logged "the mode" '"mode.set"'
	keys x
	see "written: "
	[ -s "$camp/transcript.md" ] && ok || not_ok "no transcript"
	leave
}

# A person's own keys; a wrong line is said in the console, and above it for later.
try_keyfile() {
	mkdir -p "$XDG_CONFIG_HOME/kseek"
	printf 'bank d\ndiff f5\n' >"$XDG_CONFIG_HOME/kseek/keys"
	terminal 100 30
	steer
	see "d bank"
	keys d
	see "answered by:"
	esc
	leave
	printf '\nbnak f5\n' >"$XDG_CONFIG_HOME/kseek/keys"
	steer
	see 'your keys are not in use: line 2: no command "bnak"'
	keys b
	see "answered by:"
	esc
	leave
	see 'kseek/keys: line 2'
	rm "$XDG_CONFIG_HOME/kseek/keys"
}

try_resize() {
	terminal 120 40
	steer
	for size in "80 24" "40 10" "39 9" "20 5" "2 1" "300 90" "100 24" "99 23" "120 40"; do
		# Two numbers, two words.
		# shellcheck disable=SC2086
		resize $size
	done
	see "Scenarios 3"
	resize 30 8
	see "needs 40x10"
	resize 2 1
	sleep 0.2
	resize 80 24
	see "? help"
	see " Live "
	# The last line is the footer, in the size that holds now.
	screen | tail -n 1 >"$top/screen"
	has "after resizing" "$top/screen" "help"
	keys i
	typed 'still here'
	resize 60 20
	see '> still here'
	keys C-u
	esc
	leave
	# Before the engine has answered.
	engine=$(engine_pid "$camp")
	kill -STOP "$engine"
	begin_steer
	see "waiting for the engine"
	see " Live "
	resize 100 30
	see "Scenarios 3"
	# Keys are taken already; what they ask of the engine waits for it.
	keys i C-u
	typed 'typed too early'
	keys Enter
	kill -CONT "$engine"
	logged "a message before the engine has answered" 'typed too early'
	gone "waiting for the engine"
	leave
	for key in q C-c; do
		kill -STOP "$engine"
		begin_steer
		see "waiting for the engine"
		keys $key
		at_prompt "leaving before the engine has answered"
		kill -CONT "$engine"
	done
}

try_suspend() {
	terminal 80 24
	steer
	engine=$(engine_pid "$camp")
	keys C-z
	see "Stopped"
	mode_is alternate_on 0 || not_ok "Ctrl-Z: the other screen is still on"
	[ -n "$engine" ] && kill -0 "$engine" && ok || not_ok "Ctrl-Z: the engine is gone"
	in_camp "$camp" say --note "said while stopped" >"$top/out" 2>&1 || not_ok "Ctrl-Z: no note" "$top/out"
	resize 100 30
	run_line "fg"
	see "Scenarios 3"
	see "said while stopped"
	keys '?'
	see "Keys and commands"
	esc
	# Also while something is typed.
	keys i
	typed 'half a line'
	keys C-z
	see "Stopped"
	run_line "fg"
	see '> half a line'
	keys C-c
	esc
	leave
}

try_signals() {
	for sig in TERM HUP INT SEGV ABRT; do
		terminal 80 24
		steer
		engine=$(engine_pid "$camp")
		kill -s "$sig" "$(console_pid)"
		at_prompt "SIG$sig"
		[ -n "$engine" ] && kill -0 "$engine" && ok || not_ok "SIG$sig: the engine is gone"
	done
	terminal 80 24
	steer
	kill -9 "$(console_pid)"
	until_true 5 no_console || not_ok "kill -9: the console still runs"
	# Raw mode ends a line with Ctrl-J only.
	typed "stty sane; tput rmcup; echo al''ive"
	keys C-j
	see "alive"
	gone "NDELAY" 1
	kill -0 "$engine" && ok || not_ok "kill -9: the engine is gone"
	rm -f "$top/after"
	steer
	see "moment"
	# The terminal goes away, also where its signal is ignored.
	for how in "" "trap '' HUP;"; do
		terminal 80 24
		run_line "clear; cd '$camp'; $how exec '$kseek' steer"
		see " Live "
		pid=$(console_pid)
		mux kill-session -t "$pane"
		if until_true 20 gone_pid "$pid"; then
			ok
		else
			not_ok "a console without a terminal lives on ($how)"
		fi
		kill -0 "$engine" && ok || not_ok "a closed terminal: the engine is gone"
	done
	terminal 80 24
	steer
	# The engine goes away.
	kill -9 "$engine"
	see "engine lost"
	keys A
	see "'kseek steer' in another terminal"
	# Another terminal starts one, and the console finds it.
	in_camp "$camp" steer --plain >"$top/plain" 2>&1 </dev/null &
	see "attached to the new engine"
	gone "engine lost"
	engine=$(engine_pid "$camp")
	[ -n "$engine" ] && kill -9 "$engine"
	see "engine lost"
	wait
	keys q
	see "the engine is gone; 'kseek steer' starts one again"
	until_true 20 no_console || not_ok "without an engine: q does not leave"
	rm -f "$top/after"
	steer
	see "moment"
	leave
}

gone_pid() {
	! kill -0 "$1" 2>/dev/null
}

try_second() {
	terminal 100 30 first
	steer
	terminal 100 30 second
	steer
	see "read only"
	pane=first
	keys i
	typed 'from the first'
	pane=second
	# Without the word a prompt opens all the same: letters behind it are text.
	modes=$(grep -c '"kind":"mode.set"' "$camp/.kseek/log.jsonl")
	keys i
	see "esc, then W takes it"
	typed 'Mqs'
	keys Enter
	see "> Mqs"
	esc
	[ "$(grep -c '"kind":"mode.set"' "$camp/.kseek/log.jsonl")" = "$modes" ] && ok ||
		not_ok "letters behind a refused prompt are commands"
	keys W
	see "has the word"
	gone "read only"
	keys i C-u
	typed 'from the second'
	keys Enter
	logged "the second console" 'from the second'
	pane=first
	see "read only"
	see "from the second"
	# What was being written stays, and is not sent.
	keys Enter
	see "> from the first"
	esc
	log_has 'from the first' && not_ok "a read-only console has sent something"
	# The word is free when its holder leaves.
	pane=second
	leave
	pane=first
	keys W
	see "has the word"
	keys i Enter
	logged "the first console" 'from the first'
	leave
	mux kill-session -t second
	mux kill-session -t first
}

no_colour() {
	LC_ALL=C grep -aE "$(printf '\033')\\[([0-9]+;)*(3[0-7]|4[0-7]|9[0-7]|10[0-7]|38|48)(;[0-9]+)*m" \
		"$top/$pane.bytes" >"$top/colours" && not_ok "$1: colours"
}

try_locales() {
	terminal 120 40
	steer "NO_COLOR=1"
	keys '?'
	see "Keys and commands"
	esc
	leave
	no_colour "NO_COLOR"
	terminal 80 24
	run_line "clear; cd '$camp'; stty -g >'$top/before'; LC_ALL=C '$kseek' steer; stty -g >'$top/after'"
	see "-- Live"
	see "? help"
	if LC_ALL=C grep -aq "$(printf '[\200-\377]')" "$top/main.bytes"; then
		not_ok "LC_ALL=C: bytes beyond ASCII"
	fi
	leave
	terminal 80 24
	steer "TERM=xterm-nonesuch"
	see "xterm-nonesuch"
	leave
	terminal 80 24
	run_line "cd '$camp'; stty -g >'$top/before'; '$kseek' steer --plain; stty -g >'$top/after'"
	see "moment"
	run_line 'typed at the plain console'
	logged "--plain" 'typed at the plain console'
	keys C-c
	at_prompt "--plain"
	if sed -n '/steer --plain/,$p' "$top/main.bytes" | LC_ALL=C grep -aq "$(printf '\033')"; then
		not_ok "--plain: escape sequences"
	fi
}

try_hostile() {
	camp=$top/h
	evil=$(printf '\\u001b]0;owned\\u0007\\u001b]52;c;b3duZWQ=\\u0007\\u001b[2J\\u001b[1;1Howned\\u001b[31m')
	mkdir -p "$top/s"
	{
		printf '/* \033]0;owned\007 \033[2J\033[1;1Howned \033P1;1|17/6f\033\\ \302\233 31m \342\200\256 */\n'
		cat "$source_root/tests/eval/candidates/honest.c"
	} >"$top/s/k.c"
	cat >"$top/s/script.json" <<END
{"kseek_script": 1, "name": "hostile", "steps": [
  {"do": "say", "text": "before $evil after"},
  {"do": "think", "text": "\\u009b31m \\u0090q \\u202e \\r\\rowned\\nrow\\u0008\\u0008"},
  {"do": "shell", "cmd": "printf '\\\\033]0;owned\\\\007\\\\033[2J\\\\033[Howned\\\\n'; echo owned >/dev/tty"},
  {"do": "edit", "file": "kernel.c", "from": "k.c"},
  {"do": "eval", "args": ["--no-perf"]},
  {"do": "say", "text": "the end of it"},
  {"do": "wait", "for": "human"}]}
END
	make_campaign "$camp" --mode none --agent "script:$top/s/script.json"
	terminal 120 40
	steer
	keys i
	typed 'go'
	keys Enter
	see "the end of it" 60
	keys g
	see "before"
	screen >"$top/screen"
	grep -c '[│┤┘┐]$' "$top/screen" >"$top/out"
	[ "$(cat "$top/out")" -ge 36 ] && ok || not_ok "hostile text broke the frame" "$top/screen"
	head -n 1 "$top/screen" >"$top/out"
	lacks "the first line" "$top/out" "owned"
	keys d
	see "Four sums"
	see "owned"
	keys G
	esc
	leave
	mux display -p -t "$pane" '#{pane_title}' >"$top/out"
	lacks "the terminal's title" "$top/out" "owned"
	for bytes in '\033]0;owned' '\033]52;c;b3du' '\033[1;1Howned' '\033P1;1' '\302\233' '\342\200\256'; do
		if LC_ALL=C grep -aqF "$(printf "$bytes")" "$top/main.bytes"; then
			not_ok "on the terminal: $bytes"
		else
			ok
		fi
	done
	# Nor in what is printed.
	for words in "export" "diff seed 1" "replay .kseek/log.jsonl" "candidates" "moments"; do
		# shellcheck disable=SC2086
		in_camp "$camp" $words >"$top/out" 2>&1
		if LC_ALL=C grep -aq "$(printf '[\033\007]')" "$top/out"; then
			not_ok "kseek $words prints escape sequences"
		else
			ok
		fi
	done
	in_camp "$camp" stop >"$top/out" 2>&1
	camp=$top/c
}

# A banner that appears while somebody types takes nothing from them.
try_banner() {
	camp=$top/b
	mkdir -p "$top/s"
	cat >"$top/s/claim.json" <<'END'
{"kseek_script": 1, "name": "claims", "steps": [
  {"do": "say", "text": "measuring now"},
  {"do": "pause", "ms": 1500},
  {"do": "claim", "text": "The remaining gap is the hardware limit. The kernel is bound by memory bandwidth and nothing more can be gained."},
  {"do": "pause", "ms": 600000}]}
END
	make_campaign "$camp" --mode human --agent "script:$top/s/claim.json"
	terminal 120 40
	steer
	see "start"
	keys a
	see "dismiss"
	sleep 0.7
	keys z
	logged "a dismissal" '"kind":"moment.dismissed"'
	keys i
	typed 'go on'
	keys Enter
	see "measuring now"
	keys i
	typed '1'
	until_true 20 log_has '"moment_kind":"limit"' || not_ok "no limit was seen"
	see "limit:"
	typed '2 3 '
	keys Space
	typed 'z'
	see '> 12 3  z'
	log_has '"kind":"moment.answered"' && not_ok "typing has answered a moment"
	esc
	see '> 12 3  z'
	# Now the banner, by its own key; the draft comes back behind the answer.
	keys a
	see "first"
	sleep 0.7
	keys 1
	see "to limit"
	keys Enter
	logged "the answer" '"kind":"moment.answered"'
	grep '"via":"console"' "$camp/.kseek/log.jsonl" | grep -q '"question":"[A-Z]-' && ok ||
		not_ok "no question was sent"
	see '> 12 3  z'
	keys C-c
	see "yes"
	keys y
	logged "an interrupted turn" '"how":"cancelled"'
	keys q
	see "detach"
	keys s
	until_true 15 no_console || not_ok "s does not leave"
	until_true 15 no_engine "$camp" || not_ok "s does not stop the engine"
	at_prompt "after stopping"
	camp=$top/c
}

# $now: the seconds until the bank sends, as the screen has them.
bank_sends() {
	now=$(screen | sed -n 's/.*the bank sends 1 in \([0-9]*\) s.*/\1/p' | head -n 1)
	[ -n "$now" ]
}

bank_sends_within() {
	bank_sends && [ "$now" -le "$1" ]
}

bank_sends_after() {
	bank_sends && [ "$now" -gt "$1" ]
}

# Each key puts the bank off, and every console knows for how long.
try_wait() {
	camp=$top/w
	mkdir -p "$top/s"
	echo '{"kseek_script": 1, "name": "waits", "steps": [{"do": "wait", "for": "human"}]}' \
		>"$top/s/waits.json"
	make_campaign "$camp" --mode bank --set bank_wait_s=100 --agent "script:$top/s/waits.json"
	terminal 120 40 first
	steer
	see "each key puts the bank off"
	terminal 120 40 second
	steer
	until_true 20 bank_sends_within 100 && ok || not_ok "not told when the bank sends"
	until_true 20 bank_sends_within $((now - 2)) && ok || not_ok "the seconds do not go down"
	pane=first
	keys Down
	pane=second
	until_true 20 bank_sends_after "$now" && ok || not_ok "a key in one is not known to the other"
	status_is "stop" 0 in_camp "$camp" stop
	until_true 15 no_engine "$camp" || not_ok "stop does not stop the engine"
	mux kill-session -t second
	mux kill-session -t first
	camp=$top/c
}

make_campaign "$camp" --mode human
for part in $parts; do
	case $part in
	sizes | typing | keyfile | resize | suspend | signals | second | locales | hostile | banner | wait)
		"try_$part" ;;
	*) echo "console: no part $part" >&2; exit 2 ;;
	esac
done
in_camp "$camp" stop >"$top/out" 2>"$top/err" || not_ok "stop" "$top/err"
until_true 10 no_engine "$camp" || not_ok "an engine is left behind"
chain_fits "$camp"
