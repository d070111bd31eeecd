#!/bin/sh
# Makes a folder that runs kseek's cuda target on a machine where only a driver,
# nvcc and a C compiler are: the programs from a release build, the data, and
# every library that they need beside libc. Nothing has to be set there; the
# programs find all of it from where they lie.
#
#   tests/gpu/bundle.sh [FOLDER]        default build-gpu/bundle
#
# Needs nvcc and what kseek's build needs. The build lies in build-gpu/build.
set -eu

cd "$(dirname "$0")/../.."
bundle=${1:-build-gpu/bundle}
build=build-gpu/build
most_mib=40
jobs=${JOBS:-$(nproc)}

rpath='-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib:$ORIGIN/../../lib'
log=build-gpu/bundle.log
mkdir -p build-gpu

# logged COMMAND...: what it says is shown where it fails
logged() {
	"$@" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		exit 1
	}
}

if [ ! -f "$build/build.ninja" ]; then
	logged meson setup "$build" --buildtype=release --prefix=/ --libexecdir=libexec \
		-Dcuda=enabled -Dtests=enabled "-Dc_link_args=$rpath"
fi
extra='tests/gpu/selftest tests/gpu/guards tests/exploits/gallery'
# shellcheck disable=SC2086
logged ninja -C "$build" -j "$jobs" src/app/kseek src/app/kseek-engine src/eval/kseek-judge \
	src/eval/kseek-worker src/loop/kseek-exec src/loop/kseek-shim kernels/libkseek-cuda.so \
	src/timeline/libkseek-timeline.so $extra

rm -rf "$bundle"
mkdir -p "$bundle"
meson install -C "$build" --no-rebuild --strip --quiet --destdir "$PWD/$bundle"
for program in $extra; do
	cp "$build/$program" "$bundle/libexec/kseek/"
	strip "$bundle/libexec/kseek/$(basename "$program")"
done
rm -rf "$bundle/share/doc" "$bundle/share/man" "$bundle/share/bash-completion" \
	"$bundle/share/zsh" "$bundle/share/fish"

# The libraries of all of them, but for libc and the compiler's own.
mkdir -p "$bundle/lib"
find "$bundle" -type f -perm -u+x | while read -r file; do
	ldd "$file" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }'
done | sort -u | while read -r library; do
	case $(basename "$library") in
	libc.so.* | libm.so.* | libdl.so.* | libpthread.so.* | librt.so.* | ld-linux* | \
		libgcc_s.so.* | libstdc++.so.* | libresolv.so.* | libcuda.so.*) ;;
	libcudart.so.*) cp -L "$library" "$bundle/libexec/kseek/" ;;
	libkseek-cuda.so) ;;
	*) cp -L "$library" "$bundle/lib/" ;;
	esac
done

mib=$(du -sm "$bundle" | cut -f 1)
printf 'bundle: %s, %s MiB\n' "$bundle" "$mib"
if [ "$mib" -gt "$most_mib" ]; then
	printf 'bundle: more than %s MiB:\n' "$most_mib" >&2
	du -a "$bundle" | sort -n | tail -n 15 >&2
	exit 1
fi
