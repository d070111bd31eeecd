#!/bin/sh
# What the programs are linked with: kseek asks the engine for git and network,
# so it loads neither library; the worker loads what a call needs and no more.
# usage: links.sh KIND PROGRAM     (kind: kseek, worker, exec)
set -eu
kind=$1
program=$2
if ! libs=$(ldd "$program" 2>/dev/null | awk '{print $1}'); then
	echo "$program: ldd cannot read it" >&2
	exit 1
fi
case $kind in
kseek)
	never='libgit2|libcurl|libssh2|libffi' ;;
worker)
	never='libgit2|libcurl|libuv|libncurses|libtinfo|libcjson|libpcre2|libcrypto|libssl|libelf' ;;
exec)
	never='libgit2|libcurl|libuv|libncurses|libtinfo|libcjson|libpcre2|libcrypto|libssl|libelf|libffi|libutf8proc' ;;
*)
	echo "usage: links.sh kseek|worker|exec PROGRAM" >&2
	exit 2 ;;
esac
if found=$(printf '%s\n' "$libs" | grep -E "^($never)"); then
	printf '%s links %s\n' "$program" "$found" >&2
	exit 1
fi
if ! printf '%s\n' "$libs" | grep -q '^libc\.'; then
	echo "$program: ldd shows no libc, nothing was checked" >&2
	exit 1
fi
