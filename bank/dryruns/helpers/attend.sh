#!/bin/sh
# The shipped attention (kernel.cu) with its driver, and test builds of it: attend;
# attend_counts counts, attend_wide takes the form of wider values, attend_stamps
# stamps its blocks. Some run long; all stay in the scratch.
set -e
: "${ARCH:=-arch=native}"
nv="nvcc -O3 $ARCH -I$PROBLEM -I$HELPERS -I."

sed -e 's/for (int64_t j0 = low; j0 < high; j0 += KEYS) {/&\
		if (threadIdx.x == 0) { atomicAdd(\&ks_count[0], 1ull); }/' \
	-e 's/sum\[r\] = sum\[r\] \* shrink + warp_sum(p\[r\]);/&\
			if (lane == 0 \&\& i0 + mine + r < queries) { atomicAdd(\&ks_count[1], 1ull);\
				if (next > top[r] \&\& top[r] > -INFINITY) { atomicAdd(\&ks_count[2], 1ull); } }/' \
	-e '/static int64_t row_of/,/^}/s/if (s.pages != NULL) {/&\
		atomicAdd(\&ks_count[3], 1ull);/' "$KERNEL" > counted.cu
test "$(grep -c 'ks_count' counted.cu)" = 4
sed 's/w\.dim_v <= 64/w.dim_v <= 0/' "$KERNEL" > wide.cu
if cmp -s wide.cu "$KERNEL"; then
	echo "attend.sh: the seed is another one" >&2
	exit 1
fi
awk -v fn=attend -v loop='for (int64_t j0' -f "$HELPERS/stamp.awk" "$KERNEL" > stamped.cu

$nv "$HELPERS/attend.cu" "$KERNEL" -o attend & one=$!
$nv "$HELPERS/attend.cu" wide.cu -o attend_wide & two=$!
$nv -DCOUNTS "$HELPERS/attend.cu" -o attend_counts & three=$!
($nv -DSTAMP_KERNEL -include "$HELPERS/stamp.cuh" -c stamped.cu -o stamped.o &&
	$nv -DSTAMPS "$HELPERS/attend.cu" stamped.o -o attend_stamps) & four=$!
for job in $one $two $three $four; do
	wait "$job"
done
