# What the tests of the whole program share: a scratch folder with a home of its
# own, a tmux server of its own, waiting for text instead of sleeping, and a
# clean-up after which nothing of ours runs. To be sourced:
#
#	. "$(dirname "$0")/lib.sh"
#	pty_begin NAME BUILD
#
# Every process that a test starts has HOME in its scratch folder; that is how
# strays are found, whoever their parent is by now.

# pty_begin NAME BUILD: BUILD is a build folder, or an installed prefix.
pty_begin() {
	test_name=$1
	build=$(cd "$2" 2>/dev/null && pwd) || { echo "$test_name: no folder $2" >&2; exit 2; }
	kseek=$build/src/app/kseek
	[ -x "$kseek" ] || kseek=$build/bin/kseek
	[ -x "$kseek" ] || { echo "$test_name: no kseek in $build" >&2; exit 2; }
	source_root=$(cd "$(dirname "$0")/../.." && pwd)
	top=$(mktemp -d "${TMPDIR:-/tmp}/kseek-pty-XXXXXX") || exit 2
	mkdir -p "$top/home" "$top/run" "$top/state" "$top/tmux" "$top/tmp"
	chmod 700 "$top/run" "$top/tmux"
	export HOME="$top/home" XDG_RUNTIME_DIR="$top/run" XDG_STATE_HOME="$top/state"
	export XDG_CONFIG_HOME="$top/home/.config" XDG_CACHE_HOME="$top/home/.cache"
	export TMUX_TMPDIR="$top/tmux" TMPDIR="$top/tmp" SHELL=/bin/sh
	export LC_ALL=C.UTF-8 TERM=xterm-256color
	export GIT_CONFIG_NOSYSTEM=1 GIT_PAGER=cat
	unset TMUX TMUX_PANE KSEEK_CHILD KSEEK KSEEK_LIBEXEC KSEEK_DATA NO_COLOR COLUMNS LINES ENV PS1
	server=kseek-$$
	passed=0
	failed=0
	trap pty_end EXIT
	trap 'exit 1' INT TERM HUP
}

# Programs of kseek that this test has started: pid and name.
pty_ours() {
	for d in /proc/[0-9]*; do
		comm=
		read -r comm 2>/dev/null <"$d/comm"
		case $comm in
		kseek | kseek-*) ;;
		*) continue ;;
		esac
		tr '\0' '\n' 2>/dev/null <"$d/environ" | grep -qx "HOME=$top/home" &&
			echo "${d#/proc/} $comm"
	done
}

pty_end() {
	status=$?
	trap - EXIT
	tmux -L "$server" kill-server 2>/dev/null
	for pid in $(pty_ours | cut -d ' ' -f 1); do
		kill -9 "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	cd / || exit 1
	if [ -z "${KSEEK_KEEP:-}" ]; then
		rm -rf "$top"
	else
		echo "$test_name: kept in $top"
	fi
	if [ $status -eq 0 ] && [ $failed -ne 0 ]; then
		status=1
	fi
	echo "$test_name: $passed passed, $failed failed"
	exit $status
}

ok() {
	passed=$((passed + 1))
}

# not_ok WHAT [FILE...]: says what is wrong, with the end of the files.
not_ok() {
	failed=$((failed + 1))
	echo "FAILED $test_name: $1" >&2
	shift
	for f in "$@"; do
		[ -f "$f" ] && sed 's/^/    /' "$f" | tail -n 30 >&2
	done
	return 1
}

skip() {
	echo "$test_name: skipped: $*"
	trap - EXIT
	rm -rf "$top"
	exit 77
}

# status_is WHAT EXPECTED COMMAND...: runs it with $top/out and $top/err.
status_is() {
	what=$1
	expected=$2
	shift 2
	"$@" >"$top/out" 2>"$top/err" </dev/null
	got=$?
	if [ $got -eq "$expected" ]; then
		ok
	else
		not_ok "$what: exit status $got, not $expected: $*" "$top/out" "$top/err"
	fi
}

# refused WHAT STATUS TEXT WORDS...: ends with STATUS and one line on standard
# error that holds TEXT and begins with the command's name.
refused() {
	what=$1
	expected=$2
	text=$3
	shift 3
	status_is "$what" "$expected" "$kseek" "$@"
	has "$what" "$top/err" "$text"
	if [ "$(wc -l <"$top/err")" -ne 1 ]; then
		not_ok "$what: not one line" "$top/err"
	fi
	case $(cat "$top/err") in
	"kseek $1: "* | "kseek: "*) ok ;;
	*) not_ok "$what: does not say who speaks" "$top/err" ;;
	esac
	if [ -s "$top/out" ] && [ "$1" != new ]; then
		not_ok "$what: an error, and yet a result" "$top/out"
	fi
}

# has WHAT FILE TEXT: FILE contains TEXT.
has() {
	if grep -qF -- "$3" "$2"; then
		ok
	else
		not_ok "$1: no \"$3\" in" "$2"
	fi
}

# lacks WHAT FILE TEXT
lacks() {
	if grep -qF -- "$3" "$2"; then
		not_ok "$1: \"$3\" is in" "$2"
	else
		ok
	fi
}

# until_true SECONDS COMMAND...: tries it twenty times a second.
until_true() {
	tries=$(($1 * 20))
	shift
	while ! "$@"; do
		tries=$((tries - 1))
		[ $tries -le 0 ] && return 1
		sleep 0.05
	done
	return 0
}

# ---- a terminal ----

mux() {
	tmux -L "$server" "$@"
}

# terminal COLUMNS ROWS [NAME]: a terminal with a shell in the scratch folder
# whose prompt is "pty$ "; what follows speaks to it. What is written to it is
# kept in $top/NAME.bytes.
terminal() {
	pane=${3:-main}
	# The server ends with its last session, so one stays.
	mux has-session -t =stay 2>/dev/null ||
		mux -f /dev/null new-session -d -s stay "exec sleep 100000"
	mux kill-session -t "=$pane" 2>/dev/null
	mux new-session -d -x "$1" -y "$2" -s "$pane" \
		"cd '$top' && exec env PS1='pty\$ ' sh -i" || { not_ok "no tmux"; return; }
	mux set -g status off
	mux set -g escape-time 0
	resize "$1" "$2"
	: >"$top/$pane.bytes"
	mux pipe-pane -t "$pane" "cat >>'$top/$pane.bytes'"
	see 'pty$' 10
}

resize() {
	mux resize-window -t "$pane" -x "$1" -y "$2"
}

# Esc as terminals with keys by number send it: a bare one is a key of its own only when
# nothing follows for a while, and how long a loaded machine takes nobody knows.
esc() {
	mux send-keys -t "$pane" -H 1b 5b 32 37 75
}

keys() {
	mux send-keys -t "$pane" "$@"
}

# Text as if typed, whatever it holds.
typed() {
	mux send-keys -t "$pane" -l -- "$1"
}

run_line() {
	typed "$1"
	keys Enter
}

screen() {
	mux capture-pane -p -t "$pane"
}

screen_has() {
	screen 2>/dev/null | grep -qF -- "$1"
}

screen_lacks() {
	! screen_has "$1"
}

# see TEXT [SECONDS]: waits until TEXT is on the screen.
see() {
	if until_true "${2:-20}" screen_has "$1"; then
		ok
	else
		screen >"$top/screen" 2>&1
		not_ok "not on the screen within ${2:-20} s: $1" "$top/screen"
	fi
}

# gone TEXT [SECONDS]: waits until it is no longer there.
gone() {
	if until_true "${2:-20}" screen_lacks "$1"; then
		ok
	else
		screen >"$top/screen" 2>&1
		not_ok "still on the screen after ${2:-20} s: $1" "$top/screen"
	fi
}

# What tmux knows of the terminal's modes.
mode_is() {
	until_true 5 mode_now "$1" "$2"
}

mode_now() {
	[ "$(mux display -p -t "$pane" "#{$1}")" = "$2" ]
}

# ---- campaigns ----

# small_problem FOLDER: three scenarios that take a few milliseconds.
small_problem() {
	mkdir -p "$1/sets"
	cp "$source_root/tests/eval/problem/definition.json" \
		"$source_root/tests/eval/problem/seed.c" \
		"$source_root/tests/eval/problem/reference.c" "$1/"
	for n in 17 4099 16384; do
		echo "{\"uuid\": \"n-$n\", \"axes\": {\"n\": $n}," \
			"\"inputs\": {\"alpha\": {\"type\": \"scalar\", \"value\": 1.5}}}"
	done >"$1/sets/small.jsonl"
}

# in_camp DIR WORDS...: kseek in a campaign's folder.
in_camp() {
	(cd "$1" && shift && exec "$kseek" "$@")
}

# The engine that has this campaign's log, or nothing.
engine_pid() {
	for pid in $(pty_ours | sed -n 's/ kseek-engine$//p'); do
		tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep -qx -- "$1" && echo "$pid"
	done | head -n 1
}

no_engine() {
	[ -z "$(engine_pid "$1")" ]
}

# chain_fits DIR
chain_fits() {
	status_is "the hash chain of $1" 0 in_camp "$1" reindex
}

# json_ok FILE: one JSON value a line, each whole.
json_ok() {
	awk -f "$source_root/tests/pty/json.awk" "$1"
}

# is_json WHAT FILE
is_json() {
	if [ -s "$2" ] && json_ok "$2" 2>"$top/json.err"; then
		ok
	else
		not_ok "$1: no JSON" "$top/json.err" "$2"
	fi
}
