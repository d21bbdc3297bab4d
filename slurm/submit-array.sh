#!/usr/bin/env bash
# One study as an array of shards, then one file, then its analysis: three jobs that wait for each
# other. Shards may run and finish in any order.
#
#   slurm/submit-array.sh [SBATCH OPTION...] SPEC.toml OUT.h5 SHARDS [OPTION of scalesweep run...]
#
# Options for sbatch (--time=..., --ntasks=...) go to the shards, and need their "=".
# SCALESWEEP_AT_ONCE=8 lets no more than 8 shards run at a time.
set -euo pipefail

usage() {
  echo "usage: ${0##*/} [SBATCH OPTION...] SPEC.toml OUT.h5 SHARDS [OPTION of run...]" >&2
  exit 64
}

folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=site.sh
source "${SCALESWEEP_SITE:-$folder/site.sh}"

options=()
while [[ ${1:-} == -* ]]; do
  options+=("$1")
  shift
done
(($# >= 3)) || usage
spec=$1
output=$2
shards=$3
[[ $shards =~ ^[1-9][0-9]*$ ]] || usage
mkdir -p "$(dirname "$output")"
# Mistakes in the spec and in the options show here, not in as many logs as there are shards.
"$SCALESWEEP" run "$spec" -o "$output" --shard "1/$shards" "${@:4}" --check

array=$(sbatch --parsable --array="1-$shards${SCALESWEEP_AT_ONCE:+%$SCALESWEEP_AT_ONCE}" \
  "${options[@]}" "$folder/array.sbatch" "$spec" "$output" "$shards" "${@:4}")
array=${array%%;*}  # the name of the cluster may follow
# After all shards, however they ended: the merge says what is missing.
merge=$(sbatch --parsable --dependency="afterany:$array" "$folder/merge.sbatch" "$output" \
  --shards "$shards")
merge=${merge%%;*}
analysis=$(sbatch --parsable --dependency="afterok:$merge" --kill-on-invalid-dep=yes \
  "$folder/analyze.sbatch" "$output")
echo "shards $array (1 to $shards), merge $merge, analysis ${analysis%%;*}"
