#!/bin/sh
# A campaign steered with an agent that is a program: it is asked, evaluates,
# asks back, is sent back to work, dies, and its session is taken up again.
# usage: agent.sh BUILD
set -u
. "$(dirname "$0")/lib.sh"
pty_begin agent "$1"
scene=$build/tests/agents/scene
[ -x "$scene" ] || skip "no scripted agent in $build"
camp=$top/c
log=$camp/.kseek/log.jsonl

update() {
	printf '%s\n' "send {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s-1\",\"update\":{$1}}}"
}

say() {
	update "\"sessionUpdate\":\"agent_message_chunk\",\"content\":{\"type\":\"text\",\"text\":\"$1\"}"
}

export LAB_API_KEY=sk-none-0123456789abcdef

tool() { # ID STATE MORE
	update "\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"$1\",\"kind\":\"execute\",\"status\":\"$2\"$3"
}

answer() {
	printf '%s\n' "send {\"jsonrpc\":\"2.0\",\"id\":\$$1,\"result\":$2}"
}

{
	echo 'want "initialize"'
	answer id '{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{}}},"agentInfo":{"name":"Scene","version":"3.2"}}'
	echo 'want "session/'
	answer id '{"sessionId":"s-1","modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"default","name":"Default"}]}}'
	echo 'want "session/set_mode'
	answer id '{}'
	echo 'want "session/prompt'
	echo 'keep prompt'
	say 'I measure first.'
	tool t1 in_progress ',"rawInput":{"command":"kseek eval --no-perf"}'
	echo 'run kseek eval --no-perf'
	tool t1 completed ",\"rawOutput\":{\"output\":\"key $LAB_API_KEY.\",\"exit_code\":0}"
	echo 'send {"jsonrpc":"2.0","id":"perm","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"t2","kind":"execute","title":"rm","rawInput":{"command":"rm -rf /elsewhere"}},"options":[{"optionId":"y","kind":"allow_once","name":"Yes"},{"optionId":"n","kind":"reject_once","name":"No"}]}}'
	echo 'want "outcome"'
	tool t2 failed ''
	say 'This is the hardware limit.'
	answer prompt '{"stopReason":"end_turn","usage":{"inputTokens":11,"outputTokens":4}}'
	echo 'want "session/prompt'
	say 'Back to work.'
	echo 'errors out of luck'
	echo 'die'
} >"$top/scene"

in_log() {
	grep -qF -- "$1" "$log" 2>/dev/null
}

seen() {
	if until_true "$2" in_log "$1"; then
		ok
	else
		tail -n 12 "$log" | cut -c 1-300 >"$top/tail"
		not_ok "nothing like $1 in the log" "$top/tail"
	fi
}

small_problem "$top/p"
status_is "an agent that is not there" 3 "$kseek" new --problem "$top/p" --agent acp:no-such-agent "$camp"
has "an agent that is not there" "$top/err" "not in PATH"
status_is "a driver that is not there" 2 "$kseek" new --problem "$top/p" --agent nobody:x "$camp"
mkdir -p "$top/home/.config/kseek"
cat >"$top/home/.config/kseek/agents.json" <<END
{"kseek_agents": 1, "agents": {"mine": {"driver": "acp", "command": ["$scene", "$top/scene"],
 "label": "Mine", "mode": "default", "env": {"SCENE_LOG": "$top/read"}}}}
END
status_is "a campaign with a named agent" 0 "$kseek" new --problem "$top/p" --agent mine \
	--mode none --goal 'every scenario correct' --goal 'geomean speedup >= 100' "$camp"
[ -d "$camp" ] || exit 1

(cd "$camp" && exec "$kseek" steer --plain --unattended) >"$top/plain" 2>&1 </dev/null &
seen '"kind":"agent.started"' 30
seen '"label":"Mine 3.2"' 1
seen '"session":"s-1"' 5
seen '"mode":"default"' 5
seen '"text":"I measure first."' 10
seen '"tool":"eval","title":"kseek eval --no-perf"' 5
seen '"kind":"eval.finished"' 60
seen '"text":"key [key]."' 10
seen '"kind":"permission.asked"' 10
seen '"kind":"permission.answered"' 10
seen '"kind":"agent.usage"' 10
seen '"kind":"turn.ended"' 10
seen '"kind":"goal.sent_back"' 60
seen '"text":"Back to work."' 60
seen '"kind":"agent.exited"' 20
seen 'out of luck' 1
wait
lacks "what an agent may not run" "$top/read" '"optionId":"y"'
has "the brief" "$top/read" 'AGENTS.md'
has "the clauses" "$top/read" 'geomean speedup'
lacks "plain lines" "$top/plain" '"kind":"tool.started"'
until_true 10 no_engine "$camp" || not_ok "the engine is still there"

# Again: the session is taken up, where it was.
printf '%s\n' "$(sed -n '1,2p' "$top/scene")" 'want "session/resume"' \
	'send {"jsonrpc":"2.0","id":$id,"result":{}}' 'want "session/prompt"' 'keep prompt' \
	"$(say 'I go on.')" "$(answer prompt '{"stopReason":"end_turn"}')" >"$top/scene2"
mv "$top/scene2" "$top/scene"
(cd "$camp" && exec "$kseek" steer --plain --unattended) >"$top/plain2" 2>&1 </dev/null &
seen '"how":"resumed"' 30
# Turns are numbered in the campaign, whichever engine they ran under.
seen '"turn":3' 20
for how in "" --now --note; do
	status_is "a key in words" 3 in_camp "$camp" say $how "use $LAB_API_KEY for it"
	has "a key in words" "$top/err" "kseek say: the text holds the value of LAB_API_KEY"
done
lacks "a key" "$log" "$LAB_API_KEY"
status_is "stopping" 0 in_camp "$camp" stop
until_true 20 no_engine "$camp" || not_ok "the engine is still there"
wait
chain_fits "$camp"
