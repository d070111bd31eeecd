#!/bin/sh
# Sets kseek up on Debian 12, Ubuntu 24.04 and their kin: installs what is
# missing, builds, and opens the demo or runs the tests.
#
# Nothing is installed without being named first, nothing outside of apt and
# this folder is touched, and only sudo may ask for anything.
#
# Exit status: 0 done, 1 a build or a test failed, 2 usage, 3 something is
# missing that this script cannot install.
set -eu

# Where the build puts things.
program=src/app/kseek
build=build
build_test='build-test'

# Package, the file or program that shows it is there on other systems, and why.
packages_build='
build-essential|cc|compiles kseek, and the kernels of a campaign
binutils|objdump|looks into compiled kernels
meson|meson|builds kseek
ninja-build|ninja|builds kseek
pkg-config|pkg-config|finds the libraries
libncurses-dev|ncursesw.pc|the console
libcjson-dev|libcjson.pc|JSON
libcurl4-openssl-dev|libcurl.pc|model servers, for the built-in agent
libgit2-dev|libgit2.pc|candidates as commits
libpcre2-dev|libpcre2-8.pc|regular expressions
libuv1-dev|libuv.pc|the event loop
libutf8proc-dev|libutf8proc.pc|widths of text
libffi-dev|libffi.pc|calls kernels by their declared interface
libelf-dev|libelf.pc|reads compiled kernels
libssl-dev|libcrypto.pc|SHA-256
'
packages_test='
libcmocka-dev|cmocka.pc|unit tests
libvterm-dev|vterm.pc|screen tests
tmux|tmux|tests through a terminal
git|git|tests that read the candidates
procps|ps|tests that look at processes
'

usage() {
	cat <<'END'
usage: ./setup.sh COMMAND

  demo    install what is missing, build, open the demo; what follows is handed
          to `kseek demo`
  build   install what is missing, build (release, in ./build)
  test    install what is missing, build with sanitizers in ./build-test, run
          all tests; the last line is "N passed, N failed"
  list    print the packages that are needed and what for

Packages come from apt, with sudo where you are not root. On a system without
apt the list is printed and the script stops with status 3.
END
}

say() {
	printf 'setup: %s\n' "$*"
}

# The lines of both lists that a command needs.
packages_for() {
	printf '%s' "$packages_build"
	if [ "$1" = test ] || [ "$1" = list ]; then
		printf '%s' "$packages_test"
	fi
}

print_list() {
	packages_for "$1" | while IFS='|' read -r name shows why; do
		if [ -n "$name" ]; then
			printf '  %-18s %s\n' "$name" "$why"
		fi
	done
}

on_debian() {
	command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1
}

# Whether what a package brings is there, on a system without dpkg.
is_there() {
	case $1 in
	*.pc) pkg-config --exists "${1%.pc}" 2>/dev/null ;;
	*) command -v "$1" >/dev/null 2>&1 ;;
	esac
}

is_installed() {
	status=$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) || return 1
	[ "$status" = 'install ok installed' ]
}

# Prints the lines of the packages that are missing.
missing_for() {
	packages_for "$1" | while IFS='|' read -r name shows why; do
		[ -n "$name" ] || continue
		if on_debian; then
			is_installed "$name" || printf '%s|%s\n' "$name" "$why"
		else
			is_there "$shows" || printf '%s|%s\n' "$name" "$why"
		fi
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q "$@"
}

install_missing() {
	missing=$(missing_for "$1")
	if [ -z "$missing" ]; then
		say "every package that is needed is installed"
		return 0
	fi
	names=$(printf '%s\n' "$missing" | cut -d '|' -f 1 | tr '\n' ' ')
	if ! on_debian; then
		say "this is not a system with apt; please install what these packages bring (Debian's names):"
		print_list "$1"
		say "missing now: $names"
		exit 3
	fi
	say "missing packages, to be installed with apt-get:"
	printf '%s\n' "$missing" | while IFS='|' read -r name why; do
		printf '  %-18s %s\n' "$name" "$why"
	done
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null 2>&1; then
		say "you are not root and there is no sudo; as root, run: apt-get install $names"
		exit 3
	fi
	say "apt-get update"
	apt_get update || say "apt-get update failed; going on with the lists that are there"
	say "apt-get install"
	# The names are words of this script.
	# shellcheck disable=SC2086
	if ! apt_get install -y --no-install-recommends $names; then
		say "apt-get could not install them; see its lines above"
		exit 3
	fi
}

# configure FOLDER OPTION...: makes or keeps a build folder.
configure() {
	folder=$1
	shift
	if [ -f "$folder/build.ninja" ] && meson configure "$folder" "$@" >/dev/null 2>&1; then
		return 0
	fi
	if [ -d "$folder/meson-private" ]; then
		meson setup --wipe "$folder" "$@"
	else
		meson setup "$folder" "$@"
	fi
}

build_release() {
	say "building in ./$build (release)"
	configure "$build" --buildtype=release -Dtests=disabled || exit 1
	ninja -C "$build" || exit 1
	say "built $build/$program"
}

# Counts the verdicts of the last run: prints "passed failed skipped".
count_results() {
	awk '
	match($0, /"result": *"[A-Z]+"/) {
		word = substr($0, RSTART, RLENGTH)
		sub(/.*: *"/, "", word)
		sub(/"/, "", word)
		if (word == "OK" || word == "EXPECTEDFAIL") {
			passed++
		} else if (word == "SKIP") {
			skipped++
		} else {
			failed++
		}
	}
	END { printf "%d %d %d\n", passed, failed, skipped }
	' "$1"
}

run_tests() {
	say "building in ./$build_test (with sanitizers)"
	# Half the time to compile of -O2 -g, and lines in a sanitizer's report all the same.
	configure "$build_test" --buildtype=debug -Doptimization=1 -Dc_args=-g1 \
		-Db_sanitize=address,undefined -Db_lundef=false -Dtests=enabled || exit 1
	ninja -C "$build_test" || exit 1
	log=$build_test/meson-logs/testlog.json
	rm -f "$log"
	say "running the tests"
	status=0
	meson test -C "$build_test" --no-rebuild --print-errorlogs --timeout-multiplier 3 || status=1
	if [ ! -s "$log" ]; then
		say "no test has run"
		exit 1
	fi
	# shellcheck disable=SC2046
	set -- $(count_results "$log")
	if [ "$3" -gt 0 ]; then
		say "$3 skipped, their own lines above say why"
	fi
	printf '%d passed, %d failed\n' "$1" "$2"
	if [ "$2" -gt 0 ] || [ "$1" -eq 0 ]; then
		status=1
	fi
	return $status
}

cd "$(dirname "$0")"
command=${1-}
[ $# -eq 0 ] || shift
case $command in
demo)
	install_missing build
	build_release
	exec "$build/$program" demo "$@"
	;;
build)
	install_missing build
	build_release
	;;
test)
	install_missing test
	run_tests
	;;
list)
	print_list list
	;;
-h | --help | help)
	usage
	;;
*)
	[ -z "$command" ] || echo "setup.sh: unknown command: $command" >&2
	usage >&2
	exit 2
	;;
esac
