#!/bin/sh
# record.sh KSEEK FOLDER [OPERATOR...]: records a campaign for each shipped operator,
# played by the script agent without claims: 180 calls each, in the mix of a real agent
# (reads, builds, disassembly, searches, edits, evaluations), plain words between them.
# Writes FOLDER/OPERATOR.jsonl, without the chain of hashes; takes some minutes, by hand.
# `plain.sh` counts what the detectors make of them.
set -eu
kseek=$1
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# steps OPERATOR: the script of its campaign
steps() {
	awk -v op="$1" '
	function put(line) { printf "%s%s", n++ ? ",\n" : "", line }
	function shell(cmd) { put("{\"do\":\"shell\",\"cmd\":\"" cmd "\",\"limit_s\":60}") }
	{ word[NR] = $0 }
	END {
		printf "{\"kseek_script\":1,\"name\":\"plain work\",\"steps\":[\n"
		split("sed -n 1,30p kernel.c;cc -O3 -march=native -I. -Iproblem -c kernel.c -o k.o;" \
			"objdump -d k.o | grep -c vmul;grep -n for kernel.c;" \
			"cc -O3 -march=native -I. -Iproblem -fopt-info-vec -c kernel.c -o k.o 2>\\u00261 | head -5;" \
			"ls problem;sed -n 30,60p kernel.c;objdump -d k.o | wc -l;size k.o;" \
			"head -c 300 problem/definition.json;nm k.o | head -5;grep -c float kernel.c;" \
			"objdump -d k.o | grep -c -E \\u0027v(add|sub)ss\\u0027;cat AGENTS.md | head -12;" \
			"wc -l kernel.c;echo tried blocks \\u003e\\u003e notes.txt \\u0026\\u0026 wc -l notes.txt", cmd, ";")
		step = op == "matmul" ? 7 : op == "rmsnorm" ? 5 : 3
		for (call = 1; call <= 180; call++) {
			if (call % 3 == 0)
				put("{\"do\":\"say\",\"text\":\"" word[1 + (call * step) % NR] "\"}")
			if (call % 36 == 30) {
				put("{\"do\":\"edit\",\"file\":\"kernel.c\",\"from\":\"v" int(call / 36) ".c\"}")
			} else if (call % 36 == 31) {
				put("{\"do\":\"eval\"}")
			} else {
				shell(cmd[1 + (call * step + int(call / 16)) % 16])
			}
		}
		put("{\"do\":\"end\"}")
		print "]}"
	}' "$here/words.txt"
}

record() {
	mkdir "$work/$1"
	for v in 0 1 2 3 4; do
		{ printf '/* version %d */\n' "$v"; cat "$here/../../../kernels/$1/seed.c"; } \
			> "$work/$1/v$v.c"
	done
	steps "$1" > "$work/$1/script.json"
	"$kseek" new "$work/$1/c" --problem "$1" --agent "script:$work/$1/script.json" \
		--mode none --goal 'every scenario correct' --goal 'geomean speedup >= 4' \
		--set idle_turns=1 > /dev/null
	"$kseek" steer "$work/$1/c" --plain --unattended < /dev/null > "$work/$1/out" 2>&1 || true
	grep -v '"kind":"log.hash"' "$work/$1/c/.kseek/log.jsonl" > "$out/$1.jsonl"
	echo "$1: $(grep -c '"tool.started"' "$out/$1.jsonl") calls"
}

shift 2
for op in ${*:-attention matmul rmsnorm}; do
	record "$op"
done
