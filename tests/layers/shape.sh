#!/bin/sh
# The shape of all sources: how wide, how long, how deep; docs/testing.md.
# usage: shape.sh SOURCE_ROOT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}"
export LC_ALL=C
files=$(find src ui kernels bank tests transcripts \
	\( -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \) | sort)
if [ -z "$files" ]; then
	echo "no sources below src, ui, kernels, bank, tests and transcripts" >&2
	exit 1
fi
plant=$(mktemp -d)
trap 'rm -rf "$plant"' EXIT
mkdir -p "$plant/src"

# A fault of each kind is planted and has to be found; what is right has to pass.
planted() { # FAULT
	if (cd "$plant" && awk -f "$here/shape.awk" src/planted.c > found); then
		echo "shape.awk does not see: $1" >&2
		exit 1
	fi
	if ! grep -q "^src/planted.c:[0-9]*: $1" "$plant/found"; then
		echo "shape.awk sees something else than: $1" >&2
		exit 1
	fi
}
lines() { # COUNT TEXT
	awk -v count="$1" -v text="$2" 'BEGIN { while (count-- > 0) print text }'
}
at="$plant/src/planted.c"
wide=$(printf '%0101d' 0)
{ printf 'int a; /* %s */\n\tab("%s");\n' "$(printf '%085d' 0)" "$(printf '%084d' 0)"
	printf '\t"%s\\"%s");\n/* %s */\n' "$wide" "$wide" "$(printf 'ä%.0s' $(seq 94))"
	printf 'int f(void)\n{\n'; lines 58 '	a();'; printf '}\n'
	lines 730 'int b;'; printf '/*\n         * wide\n */\n'; } > "$at"
(cd "$plant" && awk -f "$here/shape.awk" src/planted.c) || {
	echo "shape.awk sees faults where there are none" >&2
	exit 1
}
printf '/* %s */\n' "$wide" > "$at"; planted '107 columns'
printf '\t%s;\n' "$(printf '%092d' 0)" > "$at"; planted '101 columns'
printf '\ta("%s");\n' "$wide" > "$at"; planted '115 columns'
printf '\t"a %s"\n' "$wide" > "$at"; planted '113 columns'
printf 'int a; \n' > "$at"; planted 'a blank at the end'
printf '\ta();\t\n' > "$at"; planted 'a blank at the end'
printf '  \ta();\n' > "$at"; planted 'blanks where a TAB belongs'
printf '        a();\n' > "$at"; planted 'blanks where a TAB belongs'
lines 801 'int a;' > "$at"; planted 'more than 800 lines'
{ printf 'int f(void)\n{\n'; lines 59 '	a();'; printf '}\n'; } > "$at"; planted 'a function of 61 lines'
printf 'int f(void)\n{\n\t\t\t\tif (a) {\n}\n' > "$at"; planted 'nested deeper than 3'

# shellcheck disable=SC2086
awk -f "$here/shape.awk" $files
# shellcheck disable=SC2086
if [ -n "$(tail -q -c 1 $files)" ]; then
	echo "no newline at the end of some file; the next lines say which" >&2
	for file in $files; do
		[ -z "$(tail -c 1 "$file")" ] || echo "$file" >&2
	done
	exit 1
fi
