#!/bin/sh
# Real coding agents against the scripted model server: installs them, pinned,
# from npm into a scratch folder, points each at the server with a key that is
# none, and steers a whole campaign of a small CPU problem with each. Needs npm
# and its registry, so it is run by hand and is no part of the tests.
#
#   real.sh BUILD [AGENT...]     AGENT: opencode codex claude-acp claude gemini qwen copilot
#                                 or claude-hook codex-hook: started by themselves, with
#                                 the stop hook in their settings
#
# KSEEK_REAL_CACHE names a folder in which the installed agents are kept.
# Prints one table row an agent; what a column means is in docs/agents.md.
set -u
. "$(dirname "$0")/../pty/lib.sh"
pty_begin real "$1"
shift
[ $# -gt 0 ] || set -- opencode codex claude-acp claude gemini qwen copilot
server_bin=$build/tests/agents/model_server
[ -x "$server_bin" ] || skip "no model server in $build"
command -v npm >/dev/null || skip "no npm"
cache=${KSEEK_REAL_CACHE:-$top/cache}
key=sk-real-none-0123456789
small_problem "$top/problem"

# install PACKAGE@VERSION: into a folder of its own; $bin is where its programs are.
install() {
	dir=$cache/$(printf '%s' "$1" | tr '/@' '__')
	bin=$dir/node_modules/.bin
	[ -d "$bin" ] && return 0
	mkdir -p "$dir"
	(cd "$dir" && npm install --no-audit --no-fund --prefix . "$1") >"$dir/npm.log" 2>&1
	[ -d "$bin" ] || not_ok "npm install $1" "$dir/npm.log"
	# Where npm does not run the packages' own scripts.
	(cd "$dir/node_modules/opencode-ai" 2>/dev/null && node postinstall.mjs)
	(cd "$dir/node_modules/@anthropic-ai/claude-code" 2>/dev/null && node install.cjs)
	return 0
}

# The scene: look, measure, end; sent back: change, measure without time, end; sent
# back: ask the person, start a subagent, then a long command that is interrupted,
# and what was said goes on.
scene() {
	cat >"$top/$1.json" <<END
{"replies":[
 {"text":"I look at the kernel first.","calls":[{"shell":"ls kernel.c && echo looked"}]},
 {"text":"Now I measure the seed.","calls":[{"shell":"kseek eval --no-perf"}]},
 {"text":"The seed is right. I stop here."},
 {"text":"Sent back, so I change a line.","calls":[{"shell":"echo '/* noted */' >>kernel.c && kseek eval --no-perf"}]},
 {"text":"I try something outside.","calls":[{"shell":"touch /usr/local/kseek-real-outside"$3}]},
 {"text":"That is all I have."},
 {"text":"I would like to know.","calls":[{"ask":"Which loop first?","options":["inner","outer"]}]},
 {"text":"I hand one out.","calls":[{"subagent":"look at the loads of the kernel"$2}]},
 {"text":"A long one.","calls":[{"shell":"echo begun; sleep 297"}]},
 {"text":"I was told to mind the loop.","to":"mind the loop"}
],
"subagents":[{"when":"look at the loads of the kernel","replies":[{"text":"The loads are fine."}]},
 {"last":"Managed memory has"},{"last":"Pending tool call to classify"},{"last":"SUGGESTION MODE"}]}
END
}

serve() {
	"$server_bin" --scene "$top/$1.json" --log "$top/$1.requests" >"$top/$1.port" \
		2>"$top/$1.err" &
	server_pid=$!
	until_true 20 [ -s "$top/$1.port" ] || not_ok "the model server does not start" "$top/$1.err"
	port=$(head -n 1 "$top/$1.port")
}

# ---- each agent's own settings ----

set_opencode() {
	install opencode-ai@1.18.33
	spec=opencode
	mkdir -p "$HOME/.config/opencode"
	cat >"$HOME/.config/opencode/opencode.json" <<END
{"provider":{"lab":{"npm":"@ai-sdk/openai-compatible","name":"lab","options":{"baseURL":"http://127.0.0.1:$port/v1","apiKey":"$key"},
 "models":{"m":{"name":"m","limit":{"context":100000,"output":8000}}}}},"model":"lab/m","small_model":"lab/m",
 "enabled_providers":["lab"],"autoupdate":false,"share":"disabled",
 "permission":{"edit":"allow","bash":"ask"}}
END
	export OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1
}

set_gemini() {
	install @google/gemini-cli@0.61.0
	spec="acp:gemini --acp -m gemini-2.5-pro --skip-trust"
	mkdir -p "$HOME/.gemini"
	echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"disableAutoUpdate":true}}' \
		>"$HOME/.gemini/settings.json"
	export GEMINI_API_KEY="$key" GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port"
	export GEMINI_CLI_NO_RELAUNCH=1
}

set_qwen() {
	install @qwen-code/qwen-code@0.24.4
	agent_bin=$bin
	install node@22
	bin=$agent_bin:$bin
	spec="acp:qwen --acp --auth-type openai"
	export OPENAI_BASE_URL="http://127.0.0.1:$port/v1" OPENAI_API_KEY="$key" OPENAI_MODEL=m
}

set_copilot() {
	install @github/copilot@1.0.102
	agent_bin=$bin
	install node@22
	bin=$agent_bin:$bin
	spec=copilot
	export COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port/v1" COPILOT_PROVIDER_API_KEY="$key"
	export COPILOT_MODEL=m COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false
}

# $1: how far it may go by itself.
codex_config() {
	mkdir -p "$HOME/.codex"
	cat >"$HOME/.codex/config.toml" <<END
model = "m"
model_provider = "lab"
$1
[model_providers.lab]
name = "lab"
base_url = "http://127.0.0.1:$port/v1"
wire_api = "responses"
env_key = "LAB_KEY"
END
	export LAB_KEY="$key" MODEL_PROVIDER=lab
}

# Its commands may write in the folder and reach the engine; for more it asks. This is
# the mode that docs/agents.md names, in an entry of the user's agents file.
set_codex() {
	install @agentclientprotocol/codex-acp@2.6.0
	codex_config 'approval_policy = "on-request"
default_permissions = "kseek"
[permissions.kseek]
extends = ":workspace"
[permissions.kseek.network]
enabled = true'
	mkdir -p "$XDG_CONFIG_HOME/kseek"
	cat >"$XDG_CONFIG_HOME/kseek/agents.json" <<'END'
{"kseek_agents": 1, "agents": {
  "codex-asks": {"command": ["codex-acp"], "label": "Codex",
    "mode": "permission-profile:kseek", "env": {"CODEX_CONFIG": "{\"allow_login_shell\":false}"}}
}}
END
	spec=codex-asks
}

set_claude_env() {
	export ANTHROPIC_BASE_URL="http://127.0.0.1:$port" ANTHROPIC_API_KEY="$key"
	export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1
}

set_claude_acp() {
	install @agentclientprotocol/claude-agent-acp@0.101.0
	agent_bin=$bin
	install node@22
	bin=$agent_bin:$bin
	spec=claude-acp
	set_claude_env
	unset IS_SANDBOX # any value but 1 stops it where one is root
}

set_claude() {
	install @anthropic-ai/claude-code@2.1.332
	spec=claude
	set_claude_env
}

# ---- a campaign with one of them ----

log_has() {
	grep -qF -- "$1" "$camp/.kseek/log.jsonl" 2>/dev/null
}

# column NAME TEXT [SECONDS]: yes or NO for the table, by what the log holds.
column() {
	if until_true "${3:-5}" log_has "$2"; then
		row="$row $1=yes"
		ok
	else
		row="$row $1=NO"
		tail -n 6 "$camp/.kseek/log.jsonl" 2>/dev/null | cut -c 1-300 >"$top/out"
		not_ok "$agent: $1: not in the log: $2" "$top/out"
	fi
}

# The same where not every agent has it: note NAME SECONDS COMMAND...
note() {
	name=$1
	seconds=$2
	shift 2
	if until_true "$seconds" "$@"; then
		row="$row $name=yes"
	else
		row="$row $name=no"
	fi
}

# Qwen puts its question as leave to be given.
asked() {
	log_has '"kind":"agent.asked"' || log_has 'Ask user'
}

asked_or_on() {
	asked || log_has 'I hand one out.'
}

# What a subagent said came back to the model.
handed_back() {
	grep -qF 'The loads are fine.' "$top/$agent.requests"
}

# Answers the agent's question, where it could put it.
answer_form() {
	until_true 60 asked_or_on
	log_has 'Ask user' && in_camp "$camp" permit allow >"$top/answer.out" 2>&1
	field=$(sed -n 's/.*"kind":"agent.asked".*"fields":\[{"id":"\([^"]*\)".*/\1/p' \
		"$camp/.kseek/log.jsonl" | head -n 1)
	[ -z "$field" ] || in_camp "$camp" permit "$field=outer" >"$top/answer.out" 2>&1
}

outside_asked() {
	grep '"kind":"permission.asked"' "$camp/.kseek/log.jsonl" 2>/dev/null | grep -q kseek-real-outside
}

# What a person would do: rejects what a rule leaves open.
reject_open() {
	until_true 60 outside_asked && in_camp "$camp" permit reject >"$top/answer.out" 2>&1
}

run_agent() {
	agent=$1
	camp=$top/$agent
	row=
	case $agent in
	opencode) scene "$agent" ',"args":{"subagent_type":"general"}' '' ;;
	claude* | qwen) scene "$agent" ',"args":{"subagent_type":"general-purpose"}' '' ;;
	copilot) scene "$agent" ',"args":{"agent_type":"task"}' '' ;;
	codex) scene "$agent" '' ',"args":{"sandbox_permissions":"require_escalated","justification":"to see it"}' ;;
	*) scene "$agent" '' '' ;;
	esac
	serve "$agent"
	"set_$(printf '%s' "$agent" | tr '-' '_')"
	old_path=$PATH
	PATH=$bin:$PATH
	status_is "$agent: a campaign" 0 "$kseek" new "$camp" --problem "$top/problem" --agent "$spec" \
		--mode none --goal 'geomean speedup >= 40' --goal 'every scenario correct' \
		--set sendback_floor_s=0 --set idle_turns=3 --set fresh_eval=0
	(cd "$camp" && exec "$kseek" steer --plain) >"$top/$agent.out" 2>&1 </dev/null &
	steer_pid=$!
	column started '"kind":"agent.session"' 90
	column said 'I look at the kernel first.' 90
	column tool-calls '"tool":"shell"' 60
	column evaluation '"kind":"eval.finished"' 120
	column turn-end '"how":"ended"' 60
	column sent-back '"kind":"goal.sent_back"' 30
	column follow-up 'Sent back, so I change a line.' 60
	column candidate '"kind":"candidate.committed"' 120
	reject_open
	column permission '"kind":"permission.answered"' 5
	answer_form
	note asks 1 asked
	until_true 60 log_has 'echo begun' || true
	status_is "$agent: interrupt" 0 in_camp "$camp" say --now 'mind the loop'
	column interrupt '"how":"cancelled"' 20
	column after-it 'I was told' 60 # a slow machine may cut what is said
	# What a subagent in the background found comes with a later request. Codex has none.
	[ "$agent" = codex ] || note subagent 60 handed_back
	column usage '"kind":"agent.usage"' 5
	row="$row label=$(grep -o '"kind":"agent.started".*"label":"[^"]*"' "$camp/.kseek/log.jsonl" |
		head -n 1 | sed 's/.*"label":"//; s/"$//' | tr ' ' '_')"
	status_is "$agent: export" 0 in_camp "$camp" export
	has "$agent: export" "$top/out" 'Now I measure the seed.'
	status_is "$agent: stop" 0 in_camp "$camp" stop
	until_true 30 no_engine "$camp" || not_ok "$agent: the engine does not stop"
	wait "$steer_pid" 2>/dev/null
	kill "$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
	PATH=$old_path
	left=$(ps -eo args | grep -c '[s]leep 297')
	echo "$agent:$row left-behind=$left"
}

# ---- the stop hook of an agent that kseek did not start ----

start_claude_hook() {
	set_claude
	PATH=$bin:$PATH
	(cd "$camp" && claude -p 'Begin.' --allowedTools Bash)
}

start_codex_hook() {
	codex_config 'approval_policy = "never"
sandbox_mode = "danger-full-access"'
	install @openai/codex@0.171.0
	PATH=$bin:$PATH
	(cd "$camp" && codex exec --skip-git-repo-check --dangerously-bypass-hook-trust 'Begin.')
}

# Blocked until the rules let it go, with a command after the first block.
run_hook() {
	agent=$1-hook
	camp=$top/$agent
	row=
	cat >"$top/$agent.json" <<'END'
{"replies":[{"text":"I am done."},
 {"text":"Sent back.","calls":[{"shell":"ls kernel.c && echo looked"}]},{"text":"Still done."}]}
END
	serve "$agent"
	status_is "$agent: a campaign" 0 "$kseek" new "$camp" --problem "$top/problem" --mode none \
		--goal 'geomean speedup >= 40'
	(cd "$camp" && exec "$kseek" steer --plain) >"$top/$agent.out" 2>&1 </dev/null &
	steer_pid=$!
	until_true 30 log_has '"kind":"agent.started"'
	in_camp "$camp" eval --no-perf >"$top/out" 2>&1
	case $1 in
	codex) status_is "$agent: install" 0 in_camp "$camp" hook install codex --user ;;
	*) status_is "$agent: install" 0 in_camp "$camp" hook install "$1" ;;
	esac
	old_path=$PATH
	"start_$1_hook" >"$top/$agent.said" 2>&1 </dev/null
	PATH=$old_path
	column called '"kind":"hook.ran"' 5
	column blocked '"decision":"block"' 1
	column let-go '"decision":"allow"' 1
	row="$row blocks=$(grep -c '"decision":"block"' "$camp/.kseek/log.jsonl")"
	if grep -q 'geomean speedup >= 40' "$top/$agent.requests"; then
		row="$row clauses-reach-the-model=yes"
		ok
	else
		not_ok "$agent: the open clauses do not reach the model" "$top/$agent.said"
	fi
	status_is "$agent: stop" 0 in_camp "$camp" stop
	until_true 30 no_engine "$camp" || not_ok "$agent: the engine does not stop"
	wait "$steer_pid" 2>/dev/null
	kill "$server_pid" 2>/dev/null
	wait "$server_pid" 2>/dev/null
	echo "$agent:$row"
}

for one in "$@"; do
	case $one in
	opencode | codex | claude-acp | claude | gemini | qwen | copilot) run_agent "$one" ;;
	claude-hook | codex-hook) run_hook "${one%-hook}" ;;
	*) not_ok "no such agent: $one" ;;
	esac
done
