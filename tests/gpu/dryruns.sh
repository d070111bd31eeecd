#!/bin/sh
# Answers on a GPU every question of the bank that has a recipe for it and no stored
# run, and those named; keeps the machine code that recipes read beside the runs.
#
#   tests/gpu/dryruns.sh BUNDLE FOLDER SECONDS [ID...]
#
# FOLDER gets runs-cuda.json (the stored ones less those named, and the new ones),
# dryruns.log and *.sass.gz. No further question is begun after SECONDS.
set -eu

bundle=$(cd "$1" && pwd)
mkdir -p "$2"
folder=$(cd "$2" && pwd)
seconds=$3
shift 3
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/local/cuda/bin

python3 - "$folder/runs-cuda.json" "$@" <<'EOF'
import json, sys
runs = json.load(open("bank/dryruns/runs-cuda.json"))
runs["runs"] = [r for r in runs["runs"] if r["id"] not in sys.argv[2:]]
json.dump(runs, open(sys.argv[1], "w"))
EOF
from=$(date +%s)
"$bundle/bin/kseek" bank dryrun --all --target cuda --out "$folder/runs-cuda.json" \
	--limit "$seconds" > "$folder/dryruns.log" 2>&1 || true
echo "$(($(date +%s) - from)) s" >> "$folder/dryruns.log"

code() { # NAME FLAGS FILE
	nvcc -O3 "$2" -Ikernels/include -cubin -o "$folder/$1.cubin" "$3" &&
		cuobjdump -sass "$folder/$1.cubin" | gzip > "$folder/$1.sass.gz" && rm "$folder/$1.cubin"
}
code ampere -arch=sm_80 bank/dryruns/helpers/ampere.cu &
code hopper -gencode=arch=compute_90a,code=sm_90a bank/dryruns/helpers/hopper.cu &
for problem in matmul rmsnorm attention; do
	code $problem -arch=native kernels/$problem/seed.cu &
done
wait
tail -n 2 "$folder/dryruns.log"
