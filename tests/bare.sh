#!/usr/bin/env bash
# Tries the first two commands of the README in a bare system: makes a minimal
# root in a temporary folder with mmdebstrap, clones the repository into it, and
# runs there
#
#   ./setup.sh test
#   ./setup.sh demo </dev/null | cat
#
# Release and package sources are this machine's own, out of /etc/apt. Another
# release is named with all that says where it comes from:
#
#   tests/bare.sh --suite noble --keyring ubuntu-archive-keyring.gpg \
#       --source 'deb http://MIRROR/ubuntu noble main universe'
#
# Needs root, mmdebstrap and some 3 GiB. Not a part of the ordinary tests.
#
# usage: tests/bare.sh [--keep] [--only test|demo]
#                      [--suite NAME --source LINE... [--keyring FILE]]
set -euo pipefail

keep=0
only=
suite=
sources=()
keyring=()
# value OPTION REST...: says that OPTION wants a value, if it has none
value() {
	if [ $# -lt 2 ] || [ -z "$2" ]; then
		echo "bare: $1 wants a value; see tests/bare.sh --help" >&2
		exit 2
	fi
}
while [ $# -gt 0 ]; do
	case $1 in
	--keep) keep=1 ;;
	--only)
		shift
		only=${1-}
		case $only in
		test | demo) ;;
		*)
			echo "bare: --only: \"$only\" is neither test nor demo" >&2
			exit 2
			;;
		esac
		;;
	--suite)
		value "$@"
		suite=$2
		shift
		;;
	--source)
		value "$@"
		sources+=("$2")
		shift
		;;
	--keyring)
		value "$@"
		keyring=(--keyring="$(realpath "$2")")
		shift
		;;
	-h | --help)
		sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0"
		exit 0
		;;
	*)
		echo "bare: \"$1\" is not known; see tests/bare.sh --help" >&2
		exit 2
		;;
	esac
	shift
done

say() {
	printf 'bare: %s\n' "$*"
}

repo=$(cd "$(dirname "$0")/.." && pwd)
if [ "$(id -u)" -ne 0 ]; then
	say "needs root, for chroot and mounts" >&2
	exit 3
fi
for tool in mmdebstrap git unshare chroot; do
	if ! command -v "$tool" >/dev/null; then
		say "$tool is missing; install it with apt-get" >&2
		exit 3
	fi
done
# own_release: sets suite and sources to this machine's
own_release() {
	local file

	# shellcheck disable=SC1091
	suite=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
	if [ -z "$suite" ]; then
		say "/etc/os-release names no release; name one with --suite" >&2
		exit 3
	fi
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list \
		/etc/apt/sources.list.d/*.sources; do
		[ -s "$file" ] && sources+=("$file")
	done
	if [ ${#sources[@]} -eq 0 ]; then
		say "no package sources in /etc/apt" >&2
		exit 3
	fi
}
if [ -z "$suite" ] && [ ${#sources[@]} -eq 0 ]; then
	own_release
elif [ -z "$suite" ] || [ ${#sources[@]} -eq 0 ]; then
	say "--suite and --source go together; see tests/bare.sh --help" >&2
	exit 2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-bare.XXXXXX")
root=$work/root
clean_up() {
	if [ "$keep" -eq 1 ]; then
		say "kept $root"
	else
		rm -rf --one-file-system "$work"
	fi
}
trap clean_up EXIT

apt-config dump Acquire | grep -E 'Proxy|Check-|Verify|ForceIPv|Retries' \
	>"$work/apt.conf" || true

say "making a bare $suite in $root"
mmdebstrap --quiet --mode=root --variant=apt --include=ca-certificates \
	"${keyring[@]}" --aptopt="$work/apt.conf" "$suite" "$root" "${sources[@]}"
git -C "$repo" rev-parse --short HEAD | sed 's/^/bare: commit /'
git clone --quiet --no-hardlinks "file://$repo" "$root/root/kseek"
if [ -e /etc/resolv.conf ]; then
	cp --remove-destination -L /etc/resolv.conf "$root/etc/resolv.conf"
fi

# inside COMMAND: runs it in the bare root, in mounts of its own.
inside() {
	# shellcheck disable=SC2016
	unshare --mount --propagation private sh -ec '
		root=$1
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		mount --rbind /sys "$root/sys"
		exec chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
			LANG=C.UTF-8 TERM=dumb bash -c "$2"
	' inside "$root" "$1"
}

failed=0
# attempt NAME COMMAND: runs, times and reports it.
attempt() {
	local from=$SECONDS status=0

	[ -z "$only" ] || [ "$only" = "$1" ] || return 0
	say "$1: $2"
	inside "cd /root/kseek && $2" 2>&1 | tee "$work/$1.log" || status=${PIPESTATUS[0]}
	if [ "$status" -eq 0 ]; then
		say "$1: passed in $((SECONDS - from)) s"
	else
		say "$1: FAILED with status $status after $((SECONDS - from)) s"
		failed=$((failed + 1))
	fi
}
attempt test './setup.sh test'
attempt demo 'set -o pipefail; ./setup.sh demo </dev/null | cat'
if [ "$failed" -gt 0 ]; then
	keep=1
	say "$failed of the commands failed; logs in $work"
	exit 1
fi
say "both commands work on a bare $suite" | sed "s/^bare: both commands/bare: ${only:-both commands}/"
