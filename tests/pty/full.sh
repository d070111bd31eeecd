#!/bin/sh
# A disk that runs full under a campaign: the log stops where everybody sees
# it, keeps every whole line and no half one, and goes on when there is room.
# usage: full.sh BUILD
set -u
. "$(dirname "$0")/lib.sh"
if [ "$(id -u)" -ne 0 ] && [ -z "${KSEEK_UNSHARED:-}" ] &&
		unshare -rm true 2>/dev/null; then
	KSEEK_UNSHARED=1 exec unshare -rm "$0" "$@"
fi
pty_begin full "$1"
command -v tmux >/dev/null || skip "no tmux"
disk=$top/disk
mkdir "$disk"
mount -t tmpfs -o size=12m kseek "$disk" 2>/dev/null ||
	skip "a small file system cannot be mounted here (not root, or no mounts)"
trap 'unmount; pty_end' EXIT
camp=$disk/c
log=$camp/.kseek/log.jsonl
acknowledged=$top/acknowledged
number=0

unmount() {
	status=$?
	for pid in $(pty_ours | cut -d ' ' -f 1); do
		kill -9 "$pid" 2>/dev/null
	done
	until_true 5 umount "$disk" 2>/dev/null || umount -l "$disk"
	(exit $status)
}

# note TEXT: what was acknowledged is written down elsewhere.
note() {
	in_camp "$camp" say --note "$1" >"$top/out" 2>"$top/err" && echo "$1" >>"$acknowledged"
}

fill() {
	dd if=/dev/zero bs=4096 2>/dev/null >>"$disk/filler"
	while printf x >>"$disk/filler2" 2>/dev/null; do
		:
	done
}

# Fills the disk until a note is refused; what is given back meanwhile is filled again.
notes_are_refused() {
	refused=no
	for i in $(seq 200); do
		fill
		number=$((number + 1))
		if ! note "number $number of a row of notes that fill what is left"; then
			refused=yes
			break
		fi
	done
}

whole_log() {
	if [ "$(tail -c 1 "$log" | wc -l)" -eq 1 ]; then
		ok
	else
		tail -c 300 "$log" >"$top/tail"
		not_ok "$1: the log ends inside a line" "$top/tail"
	fi
}

goes_on() {
	note "$1"
}

small_problem "$top/p"
status_is "a campaign" 0 "$kseek" new --problem "$top/p" --mode human "$camp"
[ -d "$camp" ] || exit 1
terminal 100 30
run_line "clear; cd '$camp'; '$kseek' steer"
see " Live "
see "moment"
: >"$acknowledged"
note "before" || not_ok "a note while there is room" "$top/err"

for round in 1 2; do
	if [ $round -eq 2 ]; then
		# This time under an evaluation, which ends one way or the other.
		in_camp "$camp" eval >"$top/eval.out" 2>"$top/eval.err" &
		client=$!
		until_true 20 grep -q '"eval.started"' "$log" || not_ok "no evaluation begins"
	fi
	notes_are_refused
	if [ $round -eq 2 ]; then
		wait "$client"
		[ $? -le 4 ] && ok || not_ok "an evaluation under way" "$top/eval.err"
		# The engine has emptied its folder when it hears the next call; what that gave
		# back is filled as well.
		note "round 2, the evaluation has ended"
		notes_are_refused
	fi
	[ $refused = yes ] && ok || not_ok "round $round: a full disk takes every note"
	[ "$(wc -l <"$top/err")" -eq 1 ] && ok || not_ok "round $round: not one line" "$top/err"
	has "round $round" "$top/err" "kseek say: "
	see "log has stopped"
	whole_log "round $round"
	size=$(wc -c <"$log")
	note "round $round, still full" && not_ok "round $round: accepted though nothing can be written"
	has "round $round" "$top/err" "free space"
	status_is "an evaluation on a full disk" 3 in_camp "$camp" eval --no-perf
	[ "$(wc -l <"$top/err")" -eq 1 ] && ok || not_ok "an evaluation: not one line" "$top/err"
	[ "$(wc -c <"$log")" -eq "$size" ] && ok || not_ok "round $round: the log has changed"
	rm -f "$disk/filler" "$disk/filler2"
	if until_true 20 goes_on "round $round, room again"; then
		ok
	else
		not_ok "round $round: does not go on" "$top/err"
	fi
	gone "log has stopped"
	whole_log "round $round, after"
done

status_is "an evaluation afterwards" 0 in_camp "$camp" eval --no-perf
while read -r line; do
	[ "$(grep -cF "\"text\":\"$line\"" "$log")" -eq 1 ] && ok || not_ok "not once in the log: $line"
done <"$acknowledged"
if json_ok "$log" 2>"$top/err"; then
	ok
else
	not_ok "a line of the log is no JSON" "$top/err"
fi
# Numbers go up by one: nothing is missing, nothing is there twice.
sed 's/^{"seq":\([0-9]*\),.*/\1/' "$log" | awk '$0 != NR { exit 1 }' && ok ||
	not_ok "the numbers of the events have gaps"

# An engine ends on a full disk too, and the next one finds everything.
fill
status_is "stop on a full disk" 0 in_camp "$camp" stop
until_true 10 no_engine "$camp" || not_ok "stop on a full disk: the engine is still there"
rm -f "$disk/filler" "$disk/filler2"
status_is "an evaluation by the next engine" 0 in_camp "$camp" eval --no-perf
status_is "stop" 0 in_camp "$camp" stop
chain_fits "$camp"
