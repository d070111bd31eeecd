#!/bin/sh
# Test builds of the shipped matrix product (kernel.cu) for dry runs: some give
# wrong results, all stay in the scratch. Makes gdrive and gdrive_NAME.
set -e
: "${ARCH:=-arch=native}"
nv="nvcc -O3 $ARCH -I$PROBLEM"

$nv -DPROBLEM_matmul -c "$HELPERS/drive.cu" -o drive.o &
driver=$!

put() { # NAME SED-EXPRESSION
	sed "$2" "$KERNEL" > "variant_$1.cu"
	if cmp -s "$KERNEL" "variant_$1.cu" && [ "$1" != seed ]; then
		echo "variants.sh: '$1' changes nothing: the seed is another one" >&2
		exit 1
	fi
}
put seed ''
put each2 's/#define EACH 4/#define EACH 2/'
put each8 's/#define EACH 4/#define EACH 8/'
put near 's/a\[row \* k + l\]/a[(row % 64) * k + l % 16]/; s/b\[l \* n + col\]/b[(l % 16) * n + col % 64]/'
put nostore 's/if (row < m && col < n) {/if (row < m \&\& col < n \&\& sum[i][j] == 12345.678f) {/'
put noload 's/row < m && l < k ? (float)a\[row \* k + l\] : 0.0f/(float)(i + (int)l0)/; s/l < k && col < n ? (float)b\[l \* n + col\] : 0.0f/(float)(i - (int)l0)/'
put short 's/for (int l = 0; l < DEPTH; l++)/for (int l = 0; l < 1; l++)/'
put diag 's/sum\[i\]\[j\] += left\[i\] \* right\[j\];/if (i == j) sum[i][j] += left[i] * right[j];/'
put swap 's/blockIdx\.y \* TILE/blockIdx.q * TILE/; s/blockIdx\.x \* TILE/blockIdx.y * TILE/; s/blockIdx\.q/blockIdx.x/'
put pad 's/TILE + 1\]/TILE + 4]/'
awk '/__syncthreads/ { next } { print }' "$KERNEL" > variant_nosync.cu
cmp -s "$KERNEL" variant_nosync.cu && exit 1

jobs=$driver
for name in seed each2 each8 near nostore noload short diag swap nosync; do
	$nv -c "variant_$name.cu" -o "variant_$name.o" &
	jobs="$jobs $!"
done
for cap in 32 40 48 64 128; do
	$nv -maxrregcount $cap -c "$KERNEL" -o "variant_cap$cap.o" &
	jobs="$jobs $!"
done
for job in $jobs; do
	wait "$job"
done
jobs=
for name in each2 each8 near nostore noload short diag swap nosync cap32 cap40 cap48 cap64 cap128; do
	$nv drive.o "variant_$name.o" -o "gdrive_$name" &
	jobs="$jobs $!"
done
$nv drive.o variant_seed.o -o gdrive
for job in $jobs; do
	wait "$job"
done
