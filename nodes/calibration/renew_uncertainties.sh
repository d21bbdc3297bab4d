#!/usr/bin/env bash
# Renews the error bars of the catalog from measured cases:
#
#   nodes/calibration/renew_uncertainties.sh build/release/bin/scalesweep ../shared/validation
#
# To be run after whatever moves estimates. It estimates all cases once more for each device and
# stack that is left out (leave_one_out.py): five minutes.
set -euo pipefail
program=${1:?the program: build/release/bin/scalesweep}
cases=${2:?the folder of the measured cases}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
shipped=$root/tests/validation
files=(
  "$cases"/../cases-2026/inference-decode-workers-2026.csv
  "$cases"/../cases-2026/inference-servers-2026.csv
  "$cases"/../cases-2026/inference-servers-2026-ttft.csv
  "$cases"/../cases-2026/training-{mlperf-5.1,tpu-recipes}.csv
  "$cases"/inference-{argonne-2024,deepseek,mi300x-vllm}.csv
  "$cases"/inference-{mlenergy-v3,published,trtllm-1.0}.csv
  "$cases"/training-{a100-multi-node,a100-pcie-8gpu,a100-single-node}.csv
  "$cases"/training-{b200-8gpu,dgxc,h100-measured}.csv
  "$cases"/training-{published,torchtitan-h100}.csv
  "$shipped"/{megatron-korthikanti-2022,megatron-smith-2022,mosaicml-llm-foundry}.csv
  "$shipped"/{nvidia-megatron,nvidia-nim-nemo,palm-540b,torchtitan-h200,xeon-qwen-72b}.csv
)
if [[ ${3:-} == --list ]]; then # for leave_one_out.py
  printf '%s\n' "${files[@]}"
  exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 "$here/leave_one_out.py" "$program" "$cases" "$folder/left-out"
python3 "$here/measure_uncertainty.py" --left-out "$folder/left-out" >"$folder/uncertainties.toml"
cp "$folder/uncertainties.toml" "$root/nodes/uncertainties.toml"
