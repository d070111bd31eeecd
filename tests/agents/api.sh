#!/bin/sh
# A whole campaign with the built-in agent and the scripted model server: its
# tools, a failing server, the goal sent back, a message, an interrupt, the
# export; and the key is in nothing that is left behind.
# usage: api.sh BUILD
set -u
. "$(dirname "$0")/../pty/lib.sh"
pty_begin api "$1"
server_bin=$build/tests/agents/model_server
[ -x "$server_bin" ] || skip "no model server in $build"
key=sk-campaign-0123456789abcdefghij

# serve NAME: plays scene NAME.json; its port is $port, its pid $server_pid.
serve() {
	"$server_bin" --scene "$top/$1.json" --key "$key" --log "$top/$1.requests" \
		>"$top/$1.port" 2>"$top/$1.err" &
	server_pid=$!
	until_true 20 [ -s "$top/$1.port" ] || not_ok "the model server does not start" "$top/$1.err"
	port=$(head -n 1 "$top/$1.port")
}

log_has() {
	grep -qF -- "$1" "$camp/.kseek/log.jsonl" 2>/dev/null
}

saw() {
	if log_has "$1"; then
		ok
	else
		tail -n 15 "$camp/.kseek/log.jsonl" | cut -c 1-400 >"$top/out"
		not_ok "not in the log: $1" "$top/out"
	fi
}

wait_for() {
	until_true "${2:-60}" log_has "$1"
	saw "$1"
}

# make API: a campaign whose agent speaks that API.
make() {
	status_is "a campaign" 0 "$kseek" new "$camp" --problem "$top/problem" \
		--agent "api:$1/scripted-1" --base-url "http://127.0.0.1:$port/v1" \
		--key-env CAMPAIGN_KEY --mode none --goal 'geomean speedup >= 40' --goal 'every scenario correct' \
		--set sendback_floor_s=0 --set idle_turns=2 --set retries=0
}

steer() {
	(cd "$camp" && CAMPAIGN_KEY=$key exec "$kseek" steer --plain) \
		>"$top/plain.out" 2>"$top/plain.err" </dev/null &
	steer_pid=$!
}

stop() {
	status_is "stop" 0 in_camp "$camp" stop
	until_true 30 no_engine "$camp" || not_ok "the engine does not stop"
	wait "$steer_pid" 2>/dev/null
	kill "$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
}

# Nothing that is left holds the key, or a piece of it.
no_key() {
	in_camp "$camp" export >"$top/export.out" 2>&1
	if grep -rlF -e "$key" -e 0123456789abcdef "$camp" "$top/state" "$top/run" "$top/plain.out" \
		"$top/plain.err" "$top/export.out" "$top"/*.requests >"$top/out" 2>/dev/null; then
		not_ok "the key is in" "$top/out"
	else
		ok
	fi
	for pid in $(pty_ours | cut -d ' ' -f 1); do
		tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qF "$key" &&
			not_ok "the key is in the arguments of $pid"
	done
	return 0
}

small_problem "$top/problem"

# ---- chat completions: tools, retries, evaluation, goal sent back ----
camp=$top/chat
cat >"$top/chat.json" <<'END'
{"replies":[
 {"status":429,"retry_after":"0","body":{"error":{"message":"slow down, sk-campaign-0123456789abcdefghij"}}},
 {"text":"I read the kernel first.","calls":[{"name":"read","args":{"path":"kernel.c"}},{"shell":"ls; env"}],"fragment":11},
 {"text":"A half that is cut","cut":2},
 {"think":"measure it","text":"Now I measure.","calls":[{"name":"evaluate","args":{}}],"usage":{"input":900,"output":30,"cached":500,"cost":0.0125}},
 {"text":"The seed is as fast as itself.","usage":{"input":1200,"output":12}},
 {"text":"I change one thing.","calls":[{"shell":"echo '/* noted */' >>kernel.c"},{"name":"evaluate","args":{"perf":false}}]},
 {"text":"Done with that."},
 {"text":"As you say: the loop.","calls":[{"shell":"echo asked; sleep 298"}]},
 {"text":"Stopped, as you wished."}
]}
END
longest=298.$$ # nobody else's sleep takes so long
sed -i "s/sleep 298/sleep $longest/" "$top/chat.json"
serve chat
make openai
steer
wait_for '"kind":"eval.finished"' 120
saw '"kind":"agent.session"'
saw 'status 429: slow down, [key]; trying again'
saw 'ended in the middle'
saw 'I read the kernel first.'
saw '"tool":"read"'
saw '"tool":"shell"'
saw '"tool":"eval"'
saw '"kind":"permission.asked"'
wait_for '"kind":"goal.sent_back"'
wait_for 'Done with that.'
saw '"kind":"candidate.committed"'
wait_for '"cost":0.0125'
lacks "the environment of a command" "$camp/.kseek/log.jsonl" CAMPAIGN_KEY=
wait_for '"title":"echo asked'
status_is "interrupt and say" 0 in_camp "$camp" say --now 'mind the loop'
wait_for '"how":"cancelled"'
wait_for 'Stopped, as you wished.'
pgrep -f "sleep $longest" >/dev/null && not_ok "the command outlives its turn"
stop
no_key
has "the export" "$top/export.out" "I read the kernel first."
has "plain" "$top/plain.out" "Now I measure."
chain_fits "$camp"

# ---- a key where none belongs, and none where one belongs ----
for words in "--base-url http://u:$key@127.0.0.1:1/v1" "--base-url http://127.0.0.1:1/v1?key=$key" \
	"--key-env $key"; do
	# shellcheck disable=SC2086
	status_is "$words" 2 "$kseek" new "$top/none" --problem "$top/problem" --agent api:openai/m $words
	lacks "$words: told" "$top/err" "$key"
	[ ! -e "$top/none" ] && ok || not_ok "$words: a campaign is left"
done
starts() {
	grep -c '"kind":"engine.started"' "$camp/.kseek/log.jsonl"
}
before=$(starts)
status_is "unattended without a key" 3 in_camp "$camp" steer --unattended
has "says what is missing" "$top/out" "no key: set CAMPAIGN_KEY in the environment"
[ "$(starts)" -eq $((before + 1)) ] && ok || not_ok "not one engine was started, but $(starts)"

# ---- the engine is killed while a call runs: the conversation goes on ----
camp=$top/killed
cat >"$top/killed.json" <<'END'
{"replies":[
 {"text":"First I look.","calls":[{"shell":"echo looked-$((6 * 7))"}]},
 {"text":"Now a long one.","calls":[{"name":"evaluate","args":{"perf":false}},{"shell":"echo begun; sleep 299"}]},
 {"text":"I know where I was.","calls":[]}
]}
END
longest=299.$$
sed -i "s/sleep 299/sleep $longest/" "$top/killed.json"
serve killed
make anthropic
steer
wait_for '"title":"echo begun' 60
wait_for '"kind":"eval.finished"' 60
kill -9 "$(sed -n 's/.*"kind":"engine.started".*"pid":\([0-9]*\).*/\1/p' "$camp/.kseek/log.jsonl")"
wait "$steer_pid" 2>/dev/null
steer
wait_for '"how":"resumed"'
pgrep -f "sleep $longest" >/dev/null && not_ok "the command outlives its engine"
status_is "say where it goes on" 0 in_camp "$camp" say 'go on where you were'
wait_for 'I know where I was.'
tail -n 1 "$top/killed.requests" >"$top/last"
has "what was seen before" "$top/last" 'looked-42'
has "the call that ran" "$top/last" 'interrupted: kseek ended while this ran'
has "and what is new" "$top/last" 'go on where you were'
stop
no_key

# ---- Messages: a conversation that gets too long, a reply that is cut, no such model ----
camp=$top/messages
cat >"$top/messages.json" <<'END'
{"replies":[
 {"calls":[{"shell":"head -c 30000 /dev/zero | tr '\\0' x"}],"delay_ms":2},
 {"text":"And","calls":[{"shell":"true"},{"name":"write","raw":"{\"path\": \"a"}],"stop":"length"},
 {"status":400,"body":{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8"}}},
 {"text":"Still here.","calls":[{"name":"evaluate","args":{"perf":false}}]},
 {"status":404,"body":{"error":{"message":"model: scripted-1"}}}
]}
END
serve messages
make anthropic
steer
wait_for 'dropped' 60
wait_for 'too long for the model'
wait_for 'Still here.'
wait_for '"kind":"eval.finished"' 60
wait_for 'status 404: model: scripted-1'
saw '"how":"error"'
stop
no_key
if grep -q 'left out' "$top/messages.requests"; then ok; else not_ok "nothing was left out"; fi
