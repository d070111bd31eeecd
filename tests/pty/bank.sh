#!/bin/sh
# The question bank as somebody uses it: what is asked for wrongly, and files of
# their own that are broken, too long, unreadable, or links.
# usage: bank.sh BUILD
set -u
. "$(dirname "$0")/lib.sh"
pty_begin bank "$1"
own=$XDG_CONFIG_HOME/kseek/bank
walk=$(cd "$(dirname "$0")/../../transcripts/demo-attention" && pwd)/log.jsonl

# entry ID [QUESTION]
entry() {
	printf '{"id":"%s","question":"%s","targets":["cpu"],"points":["plateau"],' "$1" \
		"${2:-How many bytes of the table are read per call, against the minimum?}"
	printf '"evidence":{"quantity":"bytes per call","tools":["test_build"],'
	printf '"must_report":["value","unit"],"stale_when":["kernel_changed"]},'
	printf '"bound":"minimum_bytes","cost":"low","status":"draft"}'
}

# file ENTRIES [KIND]
file() {
	printf '{"format":1,"kind":"%s","group":"M","entries":[%s]}\n' "${2:-user}" "$1"
}

try_words() {
	refused "a layer that is none" 2 "use one of V H C R G M S P O X" bank list --layer Z
	refused "a layer in full" 2 "use one of V H C R G M S P O X" bank list --layer VH
	refused "a target that is none" 2 "use cpu or cuda" bank list --target gpu
	refused "a moment that is none" 2 "use start, plateau" bank list --moment soon
	refused "a limit below nothing" 2 "a number of seconds" bank dryrun --all --limit -3
	refused "an event below nothing" 2 "the number of an event" bank suggest --at -4
	refused "a list of something" 2 "list: takes no words" bank list bytes
	refused "a search for nothing" 2 "search: name the words" bank search
	refused "a question without a name" 2 "show: name one question" bank show
	refused "two questions" 2 "show: name one question" bank show V-01 V-02
	refused "a file without a name" 2 "add: name one file" bank add
	refused "a dry run of nothing" 2 "dryrun: name one question" bank dryrun
	refused "a dry run of one and all" 2 "dryrun: name one question" bank dryrun V-01 --all
	refused "an act that is none" 2 "'frob' is none of" bank frob
	refused "a dry run of no question" 2 "no question 'QQ'" bank dryrun QQ
	refused "a dry run where it is not asked" 3 "BLK-05 has no recipe for target cpu: it is not" \
		bank dryrun BLK-05 --target cpu
	refused "a dry run that there is none of" 3 "target cuda: needs a Blackwell device" \
		bank dryrun BLK-05 --target cuda
	printf '{"text":7}\n' >seven.jsonl
	refused "a label for a number" 2 "seven.jsonl: line 1: \$.text: missing, or no text" \
		moments classify seven.jsonl
	refused "suggestions outside" 3 "no campaign.json" bank suggest
	refused "statistics of nothing" 3 "no-such" bank stats no-such
	status_is "a search for two words" 0 "$kseek" bank search peak bandwidth
	has "a search for two words" "$top/out" "M-02"
	lacks "a search for two words" "$top/out" "V-09"
	status_is "a question outside of a campaign" 0 "$kseek" bank show v-01
	has "a question outside of a campaign" "$top/out" "{arch}"
	lacks "a question outside of a campaign" "$top/out" "here:"
	status_is "words of the other wording" 0 "$kseek" bank search launch
	[ "$(grep -c '^H-03.*bare launch' "$top/out")" -eq 1 ] ||
		not_ok "words of the other wording: not shown" "$top/out"
}

# narrow WHAT FILE: 80 columns, but for commands, which are there to be copied.
narrow() {
	if awk 'length($0) > 80 && !/^  [^ ]/ { exit 1 }' "$2"; then
		ok
	else
		not_ok "$1: wider than 80 columns" "$2"
	fi
}

# Of a recorded campaign: the offers of any point, and their arithmetic.
try_suggest() {
	for id in V-13 C-09 M-04 ATT-08 BLK-05 H-03; do
		status_is "all of $id" 0 "$kseek" bank show $id
		narrow "all of $id" "$top/out"
	done
	for kind in start plateau limit completion win break; do
		status_is "offers for a $kind" 0 "$kseek" bank suggest $kind --log "$walk" --at 560
		narrow "offers for a $kind" "$top/out"
		# What stands in front of each "=" adds up to what stands behind it.
		awk '/^  rule / { on = 0; rules++ }
			/^  score / { on = 1; line = ""; $1 = "" }
			/^Next|^$/ { on = 0 }
			on { line = line " " $0 }
			on && / = / { n = split(line, w, " "); sum = 0; sign = 1
				for (i = 1; w[i] != "="; i++) {
					if (w[i] == "-") sign = -1; else if (w[i] == "+") sign = 1
					else if (w[i] ~ /^-?[0-9.]+$/) { sum += sign * w[i]; sign = 1 } }
				d = sum - w[n]; if (d * d > 0.0009) { print line; exit 1 } sums++ }
			END { exit !(rules == 3 && sums == 3) }' "$top/out" ||
			not_ok "offers for a $kind: the sums are not theirs" "$top/out"
	done
	status_is "a campaign given twice" 0 "$kseek" bank stats "$walk" "$walk"
	has "a campaign given twice" "$top/err" "was given before; it counts once"
	[ "$(grep -c '^messages ' "$top/out")" -eq 1 ] || not_ok "it counted twice" "$top/out"
}

# added WHAT STATUS TEXT FILE: refused, and nothing is left in the folder.
added() {
	refused "$1" "$2" "$3" bank add "$4"
	[ -e "$own/$(basename "$4")" ] && not_ok "$1: kept all the same"
}

try_add() {
	long=$(head -c 300 /dev/zero | tr '\0' x)
	file "$(entry U-1)" >good.json
	file "$(entry U-1)" >good.txt
	file "$(entry U-1),$(entry U-1)" >twice.json
	file "$(entry V-01)" >ours.json
	file "$(entry U-2)" core >core.json
	file "$(entry U-2 "How many $long?")" >long.json
	file "" >none.json
	printf '{"format":1,' >cut.json
	: >empty.json
	printf '\377\376{' >bytes.json
	head -c 1100000 /dev/zero | tr '\0' ' ' >big.json
	ln -s nowhere dangling.json
	ln -s round.json round.json
	mkfifo pipe.json
	mkdir -p folder.json
	added "a file that is not there" 3 "no-such.json: No such file" no-such.json
	added "a name that is not read" 2 "call it NAME.json" good.txt
	added "an id twice" 3 "twice.json: \$.entries[1].id: U-1 is there already" twice.json
	added "an id of ours" 3 "V-01 is there already, from " ours.json
	added "a core of one's own" 2 "the core is shipped" core.json
	added "a long question" 2 "question: expected 1 to 240 bytes" long.json
	added "no question" 2 "holds no question" none.json
	added "half a file" 2 "cut.json: JSON: ends at byte" cut.json
	added "an empty file" 2 "empty.json: JSON: ends at byte 0" empty.json
	added "no text" 2 "bytes.json: JSON: byte 0" bytes.json
	added "a large file" 3 "larger than the limit" big.json
	added "a link to nothing" 3 "dangling.json: No such file" dangling.json
	added "a link to itself" 3 "round.json: Too many levels" round.json
	added "a pipe" 2 "not a regular file" pipe.json
	added "a folder" 2 "not a regular file" folder.json
	if [ "$(id -u)" -ne 0 ]; then
		cp good.json closed.json
		chmod 0 closed.json
		added "a file of others" 3 "closed.json: Permission denied" closed.json
	fi
	ln -s good.json link.json
	status_is "a link to a file" 0 "$kseek" bank add link.json
	has "a link to a file" "$top/out" "1 question added as $own/link.json"
	refused "the same again" 3 "U-1 is there already" bank add good.json
	file "$(entry U-3 "Would unrolling the table make it faster than the minimum?")" >weak.json
	status_is "a weak question" 1 "$kseek" bank add weak.json
	has "a weak question" "$top/out" "error    L3  U-3"
	has "a weak question" "$top/out" "not added"
	[ -e "$own/weak.json" ] && not_ok "a weak question: kept all the same"
	file "$(entry U-4 "How many bytes of tables are read per call, against the minimum?")" >near.json
	status_is "nearly the same" 1 "$kseek" bank add near.json
	has "nearly the same" "$top/out" "words with U-1: ask something else"
}

# A file of a person's own that went wrong later on.
try_own() {
	status_is "one's own" 0 "$kseek" bank list
	has "one's own" "$top/out" "1 of yours"
	has "one's own" "$top/out" "[yours link.json]"
	cp cut.json "$own/cut.json"
	refused "half a file of one's own" 2 "cut.json: JSON: ends at byte 12" bank list
	has "half a file of one's own" "$top/err" "mend the file or move it away"
	refused "half a file of one's own, checked" 2 "cut.json: JSON" bank lint
	rm "$own/cut.json"
	ln -s nowhere "$own/gone.json"
	refused "a link to nothing of one's own" 3 "gone.json: No such file" bank show V-01
	rm "$own/gone.json"
	mkfifo "$own/pipe.json"
	refused "a pipe of one's own" 2 "pipe.json: not a regular file" bank list
	rm "$own/pipe.json"
	: >"$own/notes.txt"
	mkdir -p "$own/dryruns"
	printf '{"format":1,"kind":"runs","runs":[{"id":"V-01"}]}\n' >"$own/dryruns/cpu.json"
	refused "half a run of one's own" 2 "dryruns/cpu.json: \$.runs[0].target" bank list
	rm "$own/dryruns/cpu.json"
	status_is "one's own, mended" 0 "$kseek" bank list
}

cd "$top/tmp" || exit 1
try_words
try_suggest
try_add
try_own
