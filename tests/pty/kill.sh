#!/bin/sh
# kill -9 of every process of a campaign, at moments swept over what it does:
# the engine while it appends and while it commits, the judge, the worker, the
# client of an evaluation, the console. What must hold each time: nothing that
# was acknowledged is lost, and the next command works.
# usage: kill.sh BUILD [TIMES [KIND...]]
#   kinds: append commit judge worker client console
set -u
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
times=${2:-${KSEEK_KILLS:-40}}
shift; [ $# -gt 0 ] && shift
kinds=${*:-append commit judge worker client console}

top=$(mktemp -d "${TMPDIR:-/tmp}/kseek-kill-XXXXXX")
export HOME="$top/home" XDG_RUNTIME_DIR="$top/run" XDG_STATE_HOME="$top/state"
export NO_COLOR=1 LC_ALL=C.UTF-8 SHELL=/bin/sh # tmux runs it; there may be none to log in with
unset XDG_CONFIG_HOME KSEEK_CHILD
mkdir -p "$HOME" "$XDG_RUNTIME_DIR" "$XDG_STATE_HOME"
chmod 700 "$XDG_RUNTIME_DIR"
camp="$top/c"
acks="$top/acks"      # what was acknowledged: "note TEXT" or "commit HEX"
: > "$acks"
serial=0

ks() { (cd "$camp" && "$build/src/app/kseek" "$@"); }

finish() {
	[ -d "$camp" ] && ks stop > /dev/null 2>&1
	[ -S "$top/tmux" ] && tmux -S "$top/tmux" kill-server 2> /dev/null
	rm -rf "$top"
}
trap finish EXIT
trap 'exit 1' INT TERM

die() {
	echo "kill.sh: $*" >&2
	echo "--- last lines of the log" >&2
	tail -n 5 "$camp/.kseek/log.jsonl" 2> /dev/null | cut -c1-300 >&2
	tail -n 5 "$camp/.kseek/engine.log" >&2 2> /dev/null
	tail -n 5 "$top/out" "$top/err" >&2 2> /dev/null
	exit 1
}

# Time a part of the way: pause I N MS sleeps I/N of MS.
pause() { sleep "$(awk "BEGIN { printf \"%.4f\", $1 / $2 * $3 / 1000 }")"; }
now_ms() { awk '{ printf "%d", $1 * 1000 }' /proc/uptime; }

# Process id of the engine that wrote the log last, while it lives.
engine_pid() {
	pid=$(sed -n 's/.*"kind":"engine.started".*"pid":\([0-9]*\).*/\1/p' \
		"$camp/.kseek/log.jsonl" | tail -n 1)
	comm=
	[ -n "$pid" ] && read -r comm 2> /dev/null < "/proc/$pid/comm"
	# One that is dead and not yet collected has no environment.
	[ "$comm" = kseek-engine ] && [ -n "$(tr -d '\0' 2> /dev/null < "/proc/$pid/environ")" ] &&
		echo "$pid"
}

kill_engine() {
	pid=$(engine_pid) || return
	kill -9 "$pid" 2> /dev/null
	while [ -e "/proc/$pid/exe" ]; do sleep 0.01; done
}

# Processes with this name that the engine started, or that those started.
pids_named() {
	for d in /proc/[0-9]*; do
		comm=
		read -r comm 2> /dev/null < "$d/comm"
		[ "$comm" = "$1" ] || continue
		tr '\0' '\n' 2> /dev/null < "$d/environ" | grep -q "^KSEEK_CHILD=kseek-$id/" &&
			echo "${d#/proc/}"
	done
}

worker_pids() {
	for judge in $(pids_named kseek-judge); do
		for child in $(cat "/proc/$judge/task/$judge/children" 2> /dev/null); do
			comm=
			read -r comm 2> /dev/null < "/proc/$child/comm"
			[ "$comm" = kseek-worker ] && echo "$child"
		done
	done
}

# A judge that lives, and no SIGKILL (the 9th bit) waits for it. What is killed may have
# to wait for a processor until it is gone.
judge_lives() {
	for judge in $(judges); do
		grep -Eqs '^(Sig|Shd)Pnd:.*[13579bdf]..$' "/proc/$judge/status" ||
			[ -z "$(tr -d '\0' 2> /dev/null < "/proc/$judge/environ")" ] || return 0
	done
	return 1
}

no_judge() {
	for _ in 1 2 3 4; do
		judge_lives || return
		sleep 0.05
	done
	die "commit: a judge outlives its engine"
}

wait_for() { # COMMAND: its first output within 10 s
	for _ in $(seq 200); do
		found=$($1 | head -n 1)
		[ -n "$found" ] && { echo "$found"; return 0; }
		sleep 0.05
	done
	return 1
}

new_source() {
	serial=$((serial + 1))
	{ cat "$here/../eval/problem/seed.c"; echo "/* $serial */"; } > "$camp/$source"
}

ack_eval() { # what `kseek eval --json` printed
	sed -n 's/.*"commit":"\([0-9a-f]\{40\}\)".*/commit \1/p' "$1" | head -n 1 >> "$acks"
}

# Programs of ours that still run, whoever their parent is by now.
strays() {
	for d in /proc/[0-9]*; do
		comm=
		read -r comm 2> /dev/null < "$d/comm"
		case $comm in kseek | kseek-*) ;; *) continue ;; esac
		tr '\0' '\n' 2> /dev/null < "$d/environ" | grep -qx "HOME=$HOME" && echo "${d#/proc/} $comm"
	done
}

# An engine without clients leaves by itself, when it has confirmed what seemed a new
# champion; nothing else may be there.
no_strays() {
	for _ in $(seq 1200); do
		[ -z "$(strays)" ] && return
		sleep 0.05
	done
	strays > "$top/out"
	die "$1: these still run"
}

# The next start works, and has everything.
verify() {
	ks status --json > "$top/status" 2> "$top/err" || die "$1: status fails afterwards"
	branch=$(git -C "$camp" log --format=%H candidates 2> /dev/null)
	while read -r sort what; do
		case $sort in
		note)
			grep -qF "\"$what\"" "$camp/.kseek/log.jsonl" || die "$1: lost note $what" ;;
		commit)
			grep -q "\"candidate.committed\".*\"$what\"" "$camp/.kseek/log.jsonl" ||
				die "$1: candidate $what is not in the log"
			case $branch in *$what*) ;; *) die "$1: commit $what is not on the branch" ;; esac ;;
		esac
	done < "$acks"
	if [ "$(tail -c 1 "$camp/.kseek/log.jsonl" | wc -l)" != 1 ]; then
		die "$1: the log ends inside a line"
	fi
}

eval_works() {
	new_source
	ks eval --no-perf --json > "$top/out" 2> "$top/err" || die "$1: the next evaluation fails"
	ack_eval "$top/out"
}

kill_append() {
	for i in $(seq "$times"); do
		ks say --note "begin $i" > "$top/out" 2> "$top/err" && echo "note begin $i" >> "$acks"
		( n=0; while [ $n -lt 30 ]; do
			n=$((n + 1))
			ks say --note "n$i-$n" > /dev/null 2>&1 || break
			echo "note n$i-$n" >> "$top/notes"
		done ) &
		writer=$!
		pause "$i" "$times" 300
		kill_engine
		kill "$writer" 2> /dev/null
		wait "$writer" 2> /dev/null
		[ -f "$top/notes" ] && cat "$top/notes" >> "$acks" && rm "$top/notes"
		ks say --note "after $i" > "$top/out" 2> "$top/err" || die "append: no note after kill $i"
		echo "note after $i" >> "$acks"
		verify append
	done
}

kill_commit() {
	new_source
	start=$(now_ms)
	ks eval --no-perf --json > "$top/out" 2> "$top/err" || die "commit: an evaluation fails"
	span=$(($(now_ms) - start))
	for i in $(seq "$times"); do
		new_source
		ks eval --no-perf --json > "$top/out" 2> "$top/err" &
		client=$!
		pause "$i" "$times" "$span"
		kill_engine
		wait "$client"
		status=$?
		if [ $status -eq 0 ]; then
			ack_eval "$top/out"
		elif grep -qv '^kseek eval: ' "$top/err"; then # it may have told of a wait before
			die "commit: a client says more than an error"
		fi
		no_judge
		eval_works commit
		verify commit
	done
}

kill_child() { # KIND FINDER
	for i in $(seq "$times"); do
		new_source
		ks eval --json > "$top/out" 2> "$top/err" &
		client=$!
		pid=$(wait_for "$2")
		pause "$i" "$times" 400
		[ -n "$pid" ] && kill -9 "$pid" 2> /dev/null
		wait "$client"
		[ $? -le 4 ] || die "$1: the client crashed"
		eval_works "$1"
		verify "$1"
	done
}

judges() { pids_named kseek-judge; }

kill_client() {
	for i in $(seq "$times"); do
		new_source
		(cd "$camp" && exec "$build/src/app/kseek" eval --no-perf --json) \
			> "$top/out" 2> "$top/err" &
		client=$!
		pause "$i" "$times" 400
		kill -9 "$client" 2> /dev/null
		wait "$client" 2> /dev/null
		ks eval --no-perf --json > "$top/out" 2> "$top/err" ||
			die "client: asking again fails"
		ack_eval "$top/out"
		verify client
	done
}

kill_console() {
	command -v tmux > /dev/null || { echo "kill.sh: console: no tmux, skipped"; return; }
	for i in $(seq "$times"); do
		tmux -S "$top/tmux" -f /dev/null new-session -d -x 100 -y 30 \
			"cd '$camp' && exec '$build/src/app/kseek' steer" || die "console: no tmux"
		pane=$(tmux -S "$top/tmux" list-panes -a -F '#{pane_pid}' | head -n 1)
		pid=$(wait_for engine_pid) || die "console: no engine came up"
		pause "$i" "$times" 300
		kill -9 "$pane" 2> /dev/null
		tmux -S "$top/tmux" kill-server 2> /dev/null
		sleep 0.05
		kill -0 "$pid" 2> /dev/null || die "console: the engine died with its console"
		ks say --note "console $i" > "$top/out" 2> "$top/err" || die "console: no note afterwards"
		echo "note console $i" >> "$acks"
		verify console
	done
	ks stop > "$top/out" 2> "$top/err" || die "console: the engine does not stop"
}

mkdir -p "$top/in"
cp -R "$here/../eval/problem" "$top/in/problem"
(cd "$top" && "$build/src/app/kseek" new --problem "$top/in/problem" --agent manual \
	--mode human c) > "$top/out" 2> "$top/err" || die "cannot make a campaign"
id=$(sed -n 's/.*"id": *"\([0-9a-f]*\)".*/\1/p' "$camp/campaign.json" | head -n 1)
source=$(cd "$camp" && ls ./*.c | head -n 1)
source=${source#./}

for kind in $kinds; do
	begin=$(now_ms)
	case $kind in
	append) kill_append ;;
	commit) kill_commit ;;
	judge) kill_child judge judges ;;
	worker) kill_child worker worker_pids ;;
	client) kill_client ;;
	console) kill_console ;;
	*) die "no kind $kind" ;;
	esac
	no_strays "$kind"
	ks reindex > "$top/out" 2> "$top/err" || die "$kind: the hash chain does not fit"
	echo "$kind: $times kills, $(wc -l < "$acks") things acknowledged, none lost," \
		"$((($(now_ms) - begin) / 1000)) s"
done
git -C "$camp" fsck --strict > "$top/out" 2>&1 || die "the repository is damaged"
ks eval --json > "$top/out" 2> "$top/err" || die "the last evaluation fails"
