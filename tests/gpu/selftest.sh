#!/bin/sh
# The evaluator's GPU half on a machine that has a GPU: the library alone, then
# judge and worker on a small problem, then what they have to survive.
#
#   selftest.sh PROGRAMS [LOG]
#
# PROGRAMS is a folder with kseek-judge, kseek-worker, libkseek-cuda.so, selftest
# and guards (a bundle's, or collected from a build). Needs nvcc. Prints a table,
# writes everything else to LOG (default ./selftest.log). 0: every row holds.
set -u

here=$(cd "$(dirname "$0")" && pwd)
programs=$(cd "${1:?usage: selftest.sh PROGRAMS [LOG]}" && pwd)
log=${2:-selftest.log}
: >"$log"
log=$(cd "$(dirname "$log")" && pwd)/$(basename "$log")
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
work=$(mktemp -d "${TMPDIR:-/tmp}/kseek-selftest-XXXXXX")
trap 'rm -rf "$work"' EXIT
XDG_RUNTIME_DIR=$work
export XDG_RUNTIME_DIR
bad=0

say() {
	printf '%s\n' "$*"
	printf '%s\n' "$*" >>"$log"
}

# row OK NAME TEXT
row() {
	if [ "$1" = 0 ]; then
		say "$(printf 'ok   %-26s %s' "$2" "$3")"
	else
		say "$(printf 'FAIL %-26s %s' "$2" "$3")"
		bad=$((bad + 1))
	fi
}

# as src/eval/build.c does it
build() {
	"$nvcc" -O3 -gencode=arch=compute_90a,code=sm_90a -shared -cudart=shared \
		--compress-mode=none -diag-suppress=177 "-DFORM=$1" \
		-Xcompiler=-fPIC,-fvisibility=default,-fno-common,-frandom-seed=kseek,-nostartfiles \
		"$here/problem/kernel.cu" -Xlinker=-z,now,-z,relro,-z,noexecstack,-z,defs \
		-Xlinker=-Bsymbolic,--build-id=none,--defsym=__dso_handle=0 \
		-o "$work/$1.so" >>"$log" 2>&1
}

# job NAME CANDIDATE [MEMBERS]: the judge's lines go to $work/NAME.lines
job() {
	mkdir -p "$work/scratch"
	cat >"$work/$1.json" <<END
{"v":1,"problem":"$here/problem","target":"cuda","cuda":"$programs/libkseek-cuda.so",
 "seed":"$work/SEED.so","reference":"$work/REFERENCE.so","candidate":"$work/$2.so",
 "worker":"$programs/kseek-worker","scratch":"$work/scratch",
 "key":"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')","workers":3,"half_width":0.005,
 "limits":{"call_ms":10000,"mem_mb":8192},
 "probe":{"bandwidth_gbs":4000,"fma_gflops":{"float32":60000},"call_ns":4000}${3:-}}
END
	started=$(date +%s%N)
	timeout 45 "$programs/kseek-judge" "$work/$1.json" >"$work/$1.lines" 2>"$work/$1.err"
	status=$?
	took=$((($(date +%s%N) - started) / 1000000))
	{
		printf '== %s: status %d, %d ms\n' "$1" "$status" "$took"
		cat "$work/$1.json" "$work/$1.lines" "$work/$1.err"
	} >>"$log"
}

count() {
	grep -c "$2" "$work/$1.lines"
}

# The first reason, or the error, or how it ended.
why() {
	text=$(sed -n 's/.*"why":"\([^"][^"]*\)".*/\1/p;s/.*"type":"error","text":"\([^"]*\)".*/\1/p' \
		"$work/$1.lines" | head -n 1)
	printf '%s (status %d, %d ms)' "${text:-no reason}" "$status" "$took"
}

figures() {
	sed -n 's/.*"type":"scenario".*"name":"\([^"]*\)".*"seed_us":\([0-9.e+]*\).*"cand_us":\([0-9.e+]*\).*"speedup":\([0-9.e+-]*\),"lo":\([0-9.e+-]*\),"hi":\([0-9.e+-]*\).*"verdict":"\([a-z]*\)","pairs":\([0-9]*\).*/\1 \2us \3us \4 [\5,\6] \7 \8p/p' \
		"$work/$1.lines" | tr '\n' ';'
}

{
	date -u
	uname -a
	ls -l "$programs"
	nvidia-smi
	"$nvcc" --version
	ls -l /dev/nvidia* /usr/local/cuda/extras/CUPTI/lib64
	ldd "$programs/kseek-judge" "$programs/libkseek-cuda.so"
	ulimit -a
} >>"$log" 2>&1

say "-- the library alone"
"$programs/selftest" "$programs/libkseek-cuda.so" >"$work/self" 2>&1
self=$?
cat "$work/self" | tee -a "$log"
row "$self" "selftest" "status $self"

say "-- guards and the driver"
timeout 60 "$programs/guards" "$programs/libkseek-cuda.so" >"$work/guards" 2>&1
tee -a "$log" <"$work/guards"

say "-- judge and worker"
for form in SEED REFERENCE ONE POOL WRONG ILLEGAL HANG INPUT BESIDE ABORT REFUSED; do
	build "$form" &
done
wait
cp "$work/SEED.so" "$work/SAME.so"
# Guards that stand in the way are left out for the rest, and named.
without() {
	printf '"without":["%s"]' "$1" | sed 's/,/","/g;s/\[""\]/[]/'
}
none=$(without "")
job guarded ONE ",\"perf\":false,$none"
if [ "$(count guarded '"correct":true')" = 3 ]; then
	row 0 "all guards" "3 of 3 correct, $took ms"
else
	row 1 "all guards" "$(why guarded)"
	static=imports,constructors,embedded
	wide=limits,files,namespaces,mdwe,syscalls
	found=
	for off in $static limits files namespaces files,namespaces limits,files,namespaces $wide \
		$static,$wide $static,$wide,maps,text,seed-data,control,late; do
		[ -z "$found" ] || break
		job "no-$off" ONE ",\"perf\":false,$(without "$off")"
		say "     without $off: $(count "no-$off" '"correct":true') of 3, $(why "no-$off")"
		if [ "$(count "no-$off" '"correct":true')" = 3 ]; then
			found=$off
			none=$(without "$off")
		fi
	done
	say "     the rest runs without: ${found:-none of these helps}"
fi
grep -h '"type":"note"' "$work"/guarded.lines | cut -c 1-300 | while read -r line; do
	say "     $line"
done

job honest ONE ",\"budget_ms\":4000,$none,\"trace\":true"
test "$(count honest '"verdict":"faster"')" = 3
row $? "one pass is faster" "$(figures honest) $took ms"
say "     $(grep -o '"device":.*' "$work/honest.lines" | head -n 1 | cut -c 1-60)"
grep '"type":"note"' "$work/honest.lines" | cut -c 1-200 | while read -r line; do
	say "     $line"
done
grep -o '"pair_us":[0-9.]*' "$work/honest.lines" | tr '\n' ' ' | while read -r line; do
	say "     $line"
done
sed -n 's/.*"event_seed_us":\([^,]*\),"event_cand_us":\([^,]*\),\(.*\)"kernels".*/     events \1 \2, \3/p' \
	"$work/honest.lines" | while read -r line; do
	say "     $line"
done

job pool POOL ",\"perf\":false,$none"
test "$(count pool '"correct":true')" = 3
row $? "memory in stream order" "$(why pool)"

job same SAME ",\"budget_ms\":4000,$none"
test "$(count same '"verdict":"same"')" = 3
row $? "seed against itself" "$(figures same) $took ms"

# What a pair costs, and what of it is which check's.
for off in "" late text,maps seed-data inputs gaps text,maps,seed-data,inputs,gaps; do
	list=$(printf '%s' "$none" | sed 's/"without":\[//;s/\]$//;s/"//g')
	list=$(printf '%s,%s' "$list" "$off" | sed 's/^,//;s/,$//')
	job cost ONE ",\"budget_ms\":1500,\"scenarios\":[\"small\",\"large\"],$(without "$list")"
	say "     pair without ${off:-nothing}: $(grep -o '"pair_us":[0-9.]*' "$work/cost.lines" | tr '\n' ' ') $(figures cost)"
done

# expect NAME WORDS CORRECT: so many scenarios stay correct, the others say why
expect() {
	job "$1" "$1" ",\"perf\":false,$none"
	if [ "$(count "$1" '"correct":true')" = "$3" ] && grep -q "$2" "$work/$1.lines"; then
		row 0 "$1" "$(why "$1")"
	else
		row 1 "$1" "$(count "$1" '"correct":true') correct; $(why "$1")"
	fi
}
expect WRONG "wrong" 0
expect REFUSED "wrong" 0
expect INPUT "changed input x" 0
expect BESIDE "behind the end of out" 0
expect ABORT "crashed" 2
expect ILLEGAL "crashed on the GPU" 2
expect HANG "took longer" 2

say "$bad failed"
[ "$bad" = 0 ]
