#!/bin/sh
# `kseek timeline` without a GPU: the tables and JSON of kept records, refusals, and
# (where the tracing library is built) programs that end in many ways under it.
# usage: timeline.sh BUILD traced|untraced
set -u
. "$(dirname "$0")/../pty/lib.sh"
pty_begin timeline "$1"
fakes=$build/tests/timeline
unset COLUMNS LD_PRELOAD ASAN_OPTIONS

# same WHAT FILE FILE
same() {
	if cmp -s "$2" "$3"; then
		ok
	else
		not_ok "$1: differ" "$2" "$3"
	fi
}

# no_wider WHAT COLUMNS FILE
no_wider() {
	if [ "$(wc -L <"$3")" -le "$2" ]; then
		ok
	else
		not_ok "$1: wider than $2 columns" "$3"
	fi
}

one_line() {
	if [ "$(wc -l <"$top/err")" -eq 1 ]; then
		ok
	else
		not_ok "$1: not one line" "$top/err"
	fi
}

# figure_is WHAT LIST KEY VALUE: the first such number behind LIST in $top/out
figure_is() {
	got=$(sed "s/.*\"$2\":\\[//" "$top/out" | grep -o "\"$3\":[0-9.e+-]*" | head -n 1 |
		cut -d : -f 2)
	if [ "$got" = "$4" ]; then
		ok
	else
		not_ok "$1: $2 $3 is $got, not $4" "$top/out"
	fi
}

try_kept() {
	"$fakes/records" sample >"$top/sample"
	"$fakes/records" hostile >"$top/hostile"
	status_is "kept records" 0 "$kseek" timeline --read "$top/sample"
	for text in 'timeline of program' 'span               19.8 us  100.0 %' \
		'idle               12.5 us   63.1 %  in 2 gaps' '  away             10.5 us' \
		'bound by the host' 'scale<float, 4>' 'host to device, pinned' '2.00 GB/s' \
		'11.7 us   7.10 us  fill -> scale<float, 4>' \
		'away 10.5 us, calls 200 ns, asking 800 ns, pending 200 ns; cudaLaunchKernel 800 ns'; do
		has "kept records" "$top/out" "$text"
	done
	no_wider "kept records" 100 "$top/out"
	COLUMNS=80 status_is "in 80 columns" 0 "$kseek" timeline --read "$top/hostile"
	no_wider "in 80 columns" 80 "$top/out"
	has "hostile names" "$top/out" 'kernel␛␛ ⏎ second line'
	if LC_ALL=C grep -q "$(printf '[\033\007\r]')" "$top/out"; then
		not_ok "hostile names reach the terminal" "$top/out"
	fi
	has "a record that makes no sense" "$top/out" 'note: process 1: 1 records make no sense'
	status_is "hostile names in JSON" 0 "$kseek" timeline --read "$top/hostile" --json --top 0
	is_json "hostile names in JSON" "$top/out"
	status_is "JSON" 0 "$kseek" timeline --read "$top/sample" --json
	is_json "JSON" "$top/out"
	figure_is "JSON" gpus span_us 19.8
	figure_is "JSON" gpus away_us 10.5
	figure_is "JSON" copies gb_per_s 2
	figure_is "JSON" gaps us 11.7
	head -c 900 "$top/sample" >"$top/cut"
	status_is "a file that was cut" 0 "$kseek" timeline --read "$top/cut"
	has "a file that was cut" "$top/out" 'ended without writing its last records'
	has "a file that was cut" "$top/out" 'note: 4 bytes behind the last whole record'
}

try_refusals() {
	status_is "nothing to run" 2 "$kseek" timeline
	one_line "nothing to run"
	status_is "a program and a file" 2 "$kseek" timeline --read "$top/sample" -- true
	status_is "a number below 0" 2 "$kseek" timeline --top -1 -- true
	status_is "no such file" 3 "$kseek" timeline --read "$top/none"
	one_line "no such file"
	status_is "a file of another kind" 2 "$kseek" timeline --read "$kseek"
	has "a file of another kind" "$top/err" 'these are no records of a timeline'
	one_line "a file of another kind"
}

try_untraced() {
	status_is "without the library" 3 "$kseek" timeline -- true
	has "without the library" "$top/err" 'built without CUPTI'
	one_line "without the library"
}

# traced HOW LAUNCHES [OPTIONS]: $top/out and $top/err hold what came of it
traced() {
	how=$1
	launches=$2
	shift 2
	LD_LIBRARY_PATH=$fakes "$kseek" timeline "$@" -- "$fakes/program" "$how" "$launches" \
		>"$top/out" 2>"$top/err"
	status=$?
}

# ends HOW STATUS LAUNCHES: all records are there, and the status is the program's
ends() {
	traced "$1" "$3" --json
	if [ "$status" -eq "$2" ]; then
		ok
	else
		not_ok "$1: status $status, not $2" "$top/err"
	fi
	is_json "$1" "$top/out"
	figure_is "$1" gpus kernels "$3"
	has "$1: what the program prints" "$top/err" 'program prints'
}

try_traced() {
	status_is "no CUDA" 3 "$kseek" timeline -- true
	has "no CUDA" "$top/err" 'kseek timeline: nothing to show: true never started CUDA'
	one_line "no CUDA"
	status_is "no CUDA, and it failed" 5 "$kseek" timeline -- sh -c 'exit 5'
	status_is "no such program" 3 "$kseek" timeline -- "$top/no-such"
	one_line "no such program"
	ends exit 0 1000
	figure_is exit gpus busy_us 4000
	figure_is exit gpus gaps 999
	has exit "$top/out" '"full_name":"void scale<float>(float*, int)"'
	has exit "$top/out" '"name":"cudaLaunchKernel"'
	has exit "$top/out" '"ended":true'
	ends return 5 10
	ends _exit 7 10
	ends quick 8 10
	ends abort 134 10
	ends term 143 10
	ends fork 0 10
	ends kill 137 10
	has kill "$top/out" '"ended":false'
	ends exec 0 10 # the second program is another process to CUDA
	traced exit 100000 --max 1000 --raw "$top/raw"
	has "a limit" "$top/out" ': 199000 records left out beyond --max'
	has "a limit" "$top/out" 'program prints'
	grep -v '^program prints' "$top/out" >"$top/first"
	status_is "kept by --raw" 0 "$kseek" timeline --read "$top/raw"
	same "kept by --raw" "$top/first" "$top/out"
	traced exit 200000
	has "many" "$top/out" ' 200000'
	FAKE_CUPTI_VERSION=120000 traced exit 1
	has "another version" "$top/err" 'nothing could be traced: CUPTI here has version 120000'
	FAKE_CUPTI_REFUSES=1 traced exit 1
	has "refused" "$top/err" 'CUPTI refuses to trace (error 999, a reason)'
	if [ "$status" -ne 3 ]; then
		not_ok "refused: status $status"
	fi
	if [ -n "$(ls "$top/tmp")" ]; then
		not_ok "folders of records are left in $top/tmp"
	fi
}

try_kept
try_refusals
"try_$2"
