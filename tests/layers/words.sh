#!/bin/sh
# Nothing in src and ui names an operator: what is special about one stands in
# its definition, not in the program. "Attention" is also the layer map's word
# for what an agent reads and edits, so it is allowed where that map is; and the
# bank's lint holds the names that no question may hold.
# usage: words.sh SOURCE_ROOT
set -eu
cd "${1:-.}"
status=0
lint=src/core/bank_words.c
names='matmul|gemm|rms_?norm|layer_?norm|softmax|stencil|flash_?att[a-z]*|conv2d'
for folder in scenarios/*/; do
	[ -d "$folder" ] || continue
	name=$(basename "$folder")
	[ "$name" = attention ] || names="$names|$name"
done

sources() {
	find src ui \( -name '*.[ch]' -o -name '*.cu' -o -name meson.build \) ! -path "$lint"
}

if sources | xargs grep -niE "(^|[^a-z])($names)([^a-z]|\$)"; then
	echo "an operator is named in src or ui" >&2
	status=1
fi
if sources | xargs grep -niE '(^|[^a-z])attention' |
	grep -vE '^(src/core/(layer|rank|stats|dump|moment|evolve_tool|evolve_process)[a-z_]*\.[ch]|src/export/|ui/term/|ui/view/)'; then
	echo "an operator is named in src or ui" >&2
	status=1
fi
exit $status
