#!/bin/sh
# docs/events.md lists each kind that src/core/event.c knows, and no other.
# usage: events.sh SOURCE_ROOT
set -eu
cd "${1:-.}"
code=$(sed -n 's/^\t\[KS_EV_[A-Z_]*\] = {"\([a-z_.]*\)", .*/\1/p' src/core/event.c |
	grep -v '^unknown$' | sort)
docs=$(sed -n 's/^| `\([a-z_]*\(\.[a-z_]*\)\{0,1\}\)`\( \*\*s\*\*\)\{0,1\} | .* | .* |$/\1/p' docs/events.md |
	grep -E '^(notice|.*\..*)$' | sort)
if [ -z "$code" ] || [ "$code" != "$docs" ]; then
	echo "kinds in src/core/event.c and docs/events.md differ:" >&2
	printf '%s\n' "$code" > "${TMPDIR:-/tmp}/events.$$"
	printf '%s\n' "$docs" | diff "${TMPDIR:-/tmp}/events.$$" - >&2 || true
	rm -f "${TMPDIR:-/tmp}/events.$$"
	exit 1
fi
synced=$(sed -n 's/^\t\[KS_EV_[A-Z_]*\] = {"\([a-z_.]*\)", true},/\1/p' src/core/event.c | sort)
marked=$(sed -n 's/^| `\([a-z_.]*\)` \*\*s\*\* | .*/\1/p' docs/events.md | sort)
if [ "$synced" != "$marked" ]; then
	echo "synced kinds in src/core/event.c and docs/events.md differ" >&2
	exit 1
fi
