#!/bin/sh
# record.sh KSEEK SCENE-PLAYER FOLDER [OPERATOR...]: records the campaigns of this folder
# anew. OPERATOR.scene is played by the scripted agent (tests/agents/scene) over ACP: it
# explains, doubts, plans, reckons and asks as an honest agent does, and claims nothing;
# its calls are run, its candidates are built and measured. Writes FOLDER/acp-OPERATOR.jsonl,
# without the chain of hashes. Takes some minutes; by hand.
set -eu
kseek=$1
player=$2
out=$(cd "$3" && pwd)
KSEEK_SCENE=$(cd "$(dirname "$0")" && pwd)
export KSEEK_SCENE
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

record() {
	problem=$(sed -n 's/^# problem //p' "$KSEEK_SCENE/$1.scene")
	problem=${problem:+$KSEEK_SCENE/}${problem:-$1}
	"$kseek" new "$work/$1" --problem "$problem" \
		--agent "acp:$player $KSEEK_SCENE/$1.scene" --mode none \
		--goal 'every scenario correct' --goal 'geomean speedup >= 40' \
		--permit 'allow any any' --set sendback_floor_s=0 >/dev/null
	log=$work/$1/.kseek/log.jsonl
	(cd "$work/$1" && exec "$kseek" steer --plain --unattended) </dev/null >"$work/$1.out" 2>&1 &
	while ! grep -q '"kind":"agent.exited"' "$log"; do
		sleep 1
	done
	(cd "$work/$1" && "$kseek" stop) >/dev/null
	wait
	grep -v '"kind":"log.hash"' "$log" | sed -e "s,$player,scene,g" \
		-e "s,$KSEEK_SCENE,scenes,g" -e "s,$work,/campaigns,g" >"$out/acp-$1.jsonl"
	echo "$1: $(grep -c '"tool.started"' "$out/acp-$1.jsonl") calls"
}

shift 3
for op in ${*:-matmul rmsnorm stencil}; do
	record "$op"
done
