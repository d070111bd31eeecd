#!/bin/sh
# What is around an agent: the stop hook and its settings, the skill, what the
# agent asks, its death and its restart, and the programs that it runs.
# usage: agents.sh BUILD
. "$(dirname "$0")/lib.sh"
pty_begin agents "$1"
scene=$build/tests/agents/scene
cd "$top" || exit 1

# ---- the stop hook ----

status_is 'a campaign' 0 "$kseek" new plain --problem rmsnorm --mode bank --set idle_turns=2
for link in CLAUDE.md GEMINI.md; do
	[ "$(readlink plain/$link)" = AGENTS.md ] && ok || not_ok "$link is no link to AGENTS.md"
done
status_is 'a number out of range' 2 "$kseek" new bad --problem rmsnorm --set retries=-1
has 'it says what is allowed' "$top/err" 'from 0 to 1000'
status_is 'a rule that is none' 2 "$kseek" new bad --problem rmsnorm --permit 'allow sheep any'
[ ! -e bad ] || not_ok 'a refused campaign was left behind'

hook() {
	printf '%s' "$1" | "$kseek" hook stop >"$top/out" 2>"$top/err"
	[ $? -eq 0 ] && ok || not_ok "the hook's status is not 0"
}
say='{"session_id":"s1","cwd":"'$top/plain'","hook_event_name":"Stop","stop_hook_active":false}'
hook "$say"
has 'an open goal blocks' "$top/out" '"decision":"block"'
has 'with its clauses' "$top/out" 'geomean speedup >= 1.5'
has 'and a question in mode bank' "$top/out" '?"}'
hook "$say"
has 'again' "$top/out" '"decision":"block"'
hook "$say"
[ -s "$top/out" ] && not_ok 'it never lets go' "$top/out" || ok
echo '/* an edit */' >>plain/kernel.c
hook "$say"
has 'after an edit it blocks again' "$top/out" 'run `kseek eval`'
n=0
for more in '"hook_event_name":"Stop","stop_hook_active":false,"prompt_id":"p","effort":{"level":"high"},"background_tasks":[]' \
	'"hook_event_name":"Stop","stop_hook_active":false,"turn_id":"t","model":"m","permission_mode":"default"' \
	'"hook_event_name":"Stop","stop_hook_active":true,"timestamp":"now","last_assistant_message":"Done."' \
	'"hook_event_name":"AfterAgent","timestamp":"now","prompt":"go","prompt_response":"Done."'; do
	n=$((n + 1))
	hook '{"session_id":"four-'$n'","transcript_path":"/x","cwd":"'$top/plain'",'"$more"'}'
	cp "$top/out" "$top/four.$n"
	cmp -s "$top/four.1" "$top/four.$n" && ok || not_ok "agent $n gets other bytes" "$top/four.$n"
done
has 'the same bytes for each of the four' "$top/four.4" '"decision":"block"'
hook '{"cwd":"/"}'
[ -s "$top/out" ] && not_ok 'it blocks outside a campaign' "$top/out" || ok
hook 'no json at all'
[ -s "$top/out" ] && not_ok 'it blocks without a campaign' "$top/out" || ok
long='{"session_id":"'$(printf '%0200d' 7)'","cwd":"'$top/plain'"}'
hook "$long"
hook "$long"
has 'a session with a long name blocks' "$top/out" '"decision":"block"'
hook "$long"
[ -s "$top/out" ] && not_ok 'a session with a long name is not counted' "$top/out" || ok
echo '{"broken":' >plain/.kseek/hook.json
hook "$say"
has 'a broken count is a new one' "$top/out" '"decision":"block"'

# ---- settings and skill ----

cd plain || exit 1
mkdir .claude && echo '{"model":"m"}' >.claude/settings.json
chmod 600 .claude/settings.json
status_is 'claude' 0 "$kseek" hook install claude
has 'what was there stays' .claude/settings.json '"model": "m"'
has 'what must be lifted is said' "$top/out" 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP'
command=$(sed -n 's/.*"command": "\(.*\)",*$/\1/p' .claude/settings.json)
printf '%s' "$say" | sh -c "$command" >"$top/out" 2>/dev/null
has 'the command works as written' "$top/out" '"decision":"block"'
[ "$(stat -c %a .claude/settings.json)" = 600 ] && ok || not_ok 'who may read the settings changed'
refused 'nothing to take out' 3 'no such file' hook install qwen --remove
[ ! -e .qwen ] && ok || not_ok 'taking out made a folder'
status_is 'gemini' 0 "$kseek" hook install gemini
has 'its own event' .gemini/settings.json '"AfterAgent"'
status_is 'codex in a project' 2 "$kseek" hook install codex
status_is 'codex' 0 "$kseek" hook install codex --user
has 'in the home folder' "$HOME/.codex/hooks.json" 'hook stop'
echo '{ // mine' >.claude/settings.json
status_is 'what is not JSON' 2 "$kseek" hook install claude
has 'is left alone' .claude/settings.json '// mine'
status_is 'the skill' 0 "$kseek" skill install
for at in .agents .claude; do
	has "the skill in $at" $at/skills/kseek-questions/SKILL.md 'name: kseek-questions'
	[ "$(ls $at/skills/kseek-questions/references | wc -l)" -eq 10 ] && ok ||
		not_ok "not ten groups in $at"
done
cd ..

# ---- an agent that asks, and dies ----

cat >scene.txt <<'END'
want "initialize"
send {"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"Tested","version":"1.2.3"}}}
want "session/new"
send {"jsonrpc":"2.0","id":$id,"result":{"sessionId":"s1"}}
want "session/prompt"
keep prompt
send {"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"list","kind":"execute","rawInput":{"command":"make -j2"}},"options":[{"optionId":"p1","kind":"allow_once","name":"Yes"},{"optionId":"p0","kind":"reject_once","name":"No"}]}}
want "p1"
send {"jsonrpc":"2.0","id":901,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c2","title":"clean","kind":"execute","rawInput":{"command":"rm -rf /var/cache/x"}},"options":[{"optionId":"p1","kind":"allow_once","name":"Yes"},{"optionId":"p0","kind":"reject_once","name":"No"}]}}
want "p0"
send {"jsonrpc":"2.0","id":902,"method":"session/request_permission","params":{"sessionId":"s1","toolCall":{"toolCallId":"c3","title":"clean","kind":"execute","rawInput":{"command":"cat /etc/hostname"}},"options":[{"optionId":"p1","kind":"allow_once","name":"Yes"},{"optionId":"p0","kind":"reject_once","name":"No"}]}}
want "p1"
errors the disk is on fire
exit 9
END
status_is "a campaign with an agent" 0 "$kseek" new asked --problem rmsnorm --agent "acp:$scene $top/scene.txt"
terminal 80 24
run_line "cd '$top/asked'"
printf '#!/bin/sh\nprintf " to there" >>"$1"\n' >"$top/editor"
chmod +x "$top/editor"
run_line "VISUAL='$top/editor' '$kseek' steer"
see 'start:' 60
keys i
typed 'Begin.'
keys Enter
see 'rm -rf /var/cache/x' 30
sleep 0.6
# The prompt was left, so y is a key without a command here.
keys y
see 'answer with p'
cd asked || exit 1
status_is 'what is asked is listed' 0 "$kseek" permit
has 'with its command' "$top/out" 'rm -rf /var/cache/x'
status_is 'an answer from the shell' 0 "$kseek" permit reject --text 'not there'
see 'cat /etc/hostname'
sleep 0.6
keys p y
see 'exited with status 9' 30
status_is 'what is known of the agent' 0 "$kseek" agent
has 'it is dead' "$top/out" 'dead'
has 'with its last words' "$top/out" 'the disk is on fire'
has 'a rule answered the first' .kseek/log.jsonl '"why":"policy"'
keys A
see "Start the agent again" 10
keys y
until_true 20 sh -c "[ \$(grep -c '\"kind\":\"agent.started\"' .kseek/log.jsonl) -eq 2 ]" && ok ||
	not_ok 'the agent was not started again'
keys i
typed 'From here'
keys C-x
see 'From here to there' 10
esc
keys q s
see 'pty$' 30
has 'what was sent is remembered' .kseek/history '"Begin."'
has 'what was not is kept' .kseek/draft 'From here to there'

# ---- programs that it runs ----

cd "$top" || exit 1
cat >walk.json <<'END'
{"kseek_script": 1, "name": "programs", "steps": [
  {"do": "shell", "cmd": "for i in 1 2; do cc --version; done; sh -c 'cc -c nothing.c; exit 0'", "limit_s": 30},
  {"do": "shell", "cmd": "command -v nsys-that-is-not-there; command -v cc", "limit_s": 30},
  {"do": "end"}]}
END
for how in '' --no-shim; do
	status_is 'a script' 0 "$kseek" new "walk$how" --problem rmsnorm --agent "script:$top/walk.json" --mode none $how
	(cd "walk$how" && "$kseek" steer --unattended >"$top/run.out" 2>&1)
	grep '"kind":"process.ran"' "walk$how/.kseek/log.jsonl" >"$top/ran" || :
	case $how in
	'')
		[ "$(wc -l <"$top/ran")" -eq 3 ] && ok || not_ok 'not three programs were counted' "$top/ran"
		has 'with the command line' "$top/ran" '"text":"cc --version"'
		has 'under their call' "$top/ran" '"call":"'
		has 'with their end' "$top/ran" '"status":1'
		has 'what is there is found first in the shim' "walk$how/.kseek/log.jsonl" 'shim/cc'
		;;
	*)
		[ -s "$top/ran" ] && not_ok 'counted without a shim' "$top/ran" || ok
		;;
	esac
done

# ---- a stray that disturbs a measurement ----

cat >busy.json <<'END'
{"kseek_script": 1, "name": "busy", "steps": [
  {"do": "shell", "cmd": "touch going; exec timeout 900 sh -c 'while :; do :; done'", "limit_s": 1000},
  {"do": "end"}]}
END
status_is 'a busy agent' 0 "$kseek" new busy --problem rmsnorm --agent "script:$top/busy.json" --mode none
cd busy || exit 1
"$kseek" steer --plain >"$top/steer.out" 2>&1 </dev/null &
steer=$!
until_true 30 test -e going && ok || not_ok 'the agent does not work' "$top/steer.out"
"$kseek" eval >"$top/out" 2>"$top/err" </dev/null
has 'who disturbed is said' "$top/out" 'disturbed: sh'
has 'and stands in the evaluation' .kseek/log.jsonl '"strays":[{"pid":'
has 'and is told' .kseek/log.jsonl 'its figures may be off'
status_is 'another agent while one runs' 3 "$kseek" steer --agent manual
has 'says which one runs and what to do' "$top/err" "runs another agent, script (not a model); end that one first with 'kseek agent stop'"
status_is 'the agent is stopped' 0 "$kseek" agent stop
until_true 20 grep -q '"kind":"agent.exited"' .kseek/log.jsonl && ok || not_ok 'the agent did not end'
status_is 'an agent that cannot be' 2 "$kseek" steer --agent nobody
"$kseek" steer --plain --agent manual >"$top/steer2.out" 2>&1 </dev/null &
other=$!
until_true 20 grep -q '"kind":"agent.started".*"label":"manual' .kseek/log.jsonl && ok ||
	not_ok 'another agent where none ran any more' "$top/steer2.out"
status_is 'stop' 0 "$kseek" stop
wait $steer $other || : # the goal is not met
