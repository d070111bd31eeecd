#!/bin/sh
# Who includes what, over all sources of src and ui.
# usage: includes.sh SOURCE_ROOT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:-.}"
files=$(find src ui \( -name '*.c' -o -name '*.h' -o -name '*.cu' \) | sort)
if [ -z "$files" ]; then
	echo "no sources below src and ui" >&2
	exit 1
fi
# The awk program must see faults: one that is planted has to be found.
plant=$(mktemp -d)
trap 'rm -rf "$plant"' EXIT
mkdir -p "$plant/src/core"
printf '#include "store/log.h"\n#include <git2.h>\n' > "$plant/src/core/planted.c"
if (cd "$plant" && awk -f "$here/includes.awk" src/core/planted.c > /dev/null); then
	echo "includes.awk does not see a planted fault" >&2
	exit 1
fi
# shellcheck disable=SC2086
awk -f "$here/includes.awk" $files
