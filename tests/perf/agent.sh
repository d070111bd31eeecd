#!/bin/sh
# agent.sh BUILD: from an agent's line to a frame of the console, quiet (ten
# lines a second) and in a burst (a thousand a second), and whether memory grows
# with the stream. Prints "name value unit budget". A benchmark of a release
# build on a quiet machine; none of the tests.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
ninja -C "$build" tests/perf/agentbench tests/agents/scene > /dev/null
kseek=$build/src/app/kseek
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_RUNTIME_DIR="$work/run" XDG_STATE_HOME="$work/state"
mkdir -p "$work/run" "$work/state"
failed=0

line() { # name value unit budget
	mark=
	[ "$(awk -v v="$2" -v b="$4" 'BEGIN { print (v > b) ? 1 : 0 }')" = 0 ] || { mark='  OVER'; failed=1; }
	printf '%s %s %s %s%s\n' "$1" "$2" "$3" "$4" "$mark"
}

scene() { # LINES MICROSECONDS
	echo 'want "initialize"'
	echo 'send {"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":1}}'
	echo 'want "session/new"'
	echo 'send {"jsonrpc":"2.0","id":$id,"result":{"sessionId":"s"}}'
	echo 'want "session/prompt"'
	echo 'sleep 3000'
	echo "pace $1 $2 {\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c\$n\",\"kind\":\"read\",\"status\":\"completed\",\"rawInput\":{\"path\":\"\$w\"}}}}"
}

measure() { # NAME LINES MICROSECONDS SECONDS
	scene "$2" "$3" > "$work/scene"
	rm -rf "$work/c" "$work/stamps"
	"$kseek" new "$work/c" --problem "$here/../eval/stencil" --mode none \
		--agent "acp:$build/tests/agents/scene $work/scene" > "$work/new"
	export SCENE_STAMPS="$work/stamps"
	set -- "$1" $(cd "$work/c" && "$build/tests/perf/agentbench" "$4" "$work/stamps" -- "$kseek" steer)
	memory=$( (for d in /proc/[0-9]*; do
		tr '\0' ' ' 2> /dev/null < "$d/cmdline" | grep -q "kseek-engine run $work/c" &&
			awk '/^VmHWM/ { print $2 / 1024 }' "$d/status"
	done) 2> /dev/null | head -1)
	(cd "$work/c" && "$kseek" stop > /dev/null 2>&1) || true
	shown=$2 p50=$3 p99=$4 rate=$5
}

measure quiet 100 100000 16
printf 'agent_line_to_frame_p50_quiet %s ms\n' "$p50"
line agent_line_to_frame_p99_quiet "$p99" ms 10
measure burst 5000 1000 13
line agent_line_to_frame_p99_burst "$p99" ms 45
printf 'agent_frames_in_burst %s 1/s (at most 30 wanted)\n' "$rate"
first=$memory
measure long 20000 500 19
awk -v a="$first" -v b="$memory" 'BEGIN { printf "engine_memory_5000_lines %.1f MiB\nengine_memory_20000_lines %.1f MiB\n", a, b }'
exit $failed
