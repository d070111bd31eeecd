#!/bin/sh
# A million runs of each harness that reads what agents, models and traced
# programs send, by libFuzzer under the sanitizers. What it finds interesting is
# kept between nights in CORPUS.
# usage: nightly.sh [CORPUS [RUNS [NAME...]]]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
corpus=${1:-$root/build/corpus}
runs=${2:-1000000}
[ $# -lt 2 ] || shift 2
[ $# -gt 0 ] || set -- linebuf rpc agent sse chat frame json timeline
cc=${CC_FUZZ:-clang}
command -v "$cc" > /dev/null || {
	echo "nightly.sh: $cc: not found; install clang, or name it in CC_FUZZ" >&2
	exit 2
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
common="-g -O1 -std=gnu17 -D_GNU_SOURCE -DKSEEK_VERSION=\"nightly\" -I$root/src -I$root/ui"
common="$common -include $root/src/base/banned.h -fno-sanitize-recover=all"
common="$common $(pkg-config --cflags libutf8proc libcjson libpcre2-8 libcrypto)"
(cd "$work" && for source in "$root"/src/base/*.c "$root"/src/wire/*.c \
	"$root"/src/timeline/[!i]*.c; do
	# shellcheck disable=SC2086
	"$cc" $common -fsanitize=fuzzer-no-link,address,undefined -c "$source" \
		-o "$(basename "$(dirname "$source")")_$(basename "$source" .c).o"
done)
for name; do
	if [ ! -f "$here/fuzz_$name.c" ]; then
		echo "$name: no such harness, passed over"
		continue
	fi
	mkdir -p "$corpus/$name"
	# shellcheck disable=SC2046,SC2086
	"$cc" $common -fsanitize=fuzzer,address,undefined "$here/fuzz_$name.c" "$work"/*.o \
		$(pkg-config --libs libutf8proc libcjson libpcre2-8 libcrypto) -lm -o "$work/fuzz_$name"
	echo "$name: $runs runs"
	"$work/fuzz_$name" -runs="$runs" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
		-artifact_prefix="$corpus/$name-" "$corpus/$name" 2> "$work/$name.log" || {
		status=1
		tail -40 "$work/$name.log"
	}
	tail -1 "$work/$name.log"
done
exit $status
