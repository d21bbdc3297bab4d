#!/usr/bin/env bash
# Runs shellcheck over every shell script of the tree, or over those that are named.
#   check_shell.sh [FILE...]
# Exit 0 clean, 1 not, 77 (skipped) without shellcheck.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if ! command -v shellcheck >/dev/null; then
  echo "skipped: shellcheck is not installed (Debian: apt-get install shellcheck)"
  exit 77
fi
scripts=("$@")
if (($# == 0)); then
  mapfile -d '' scripts < <(
    find . -path ./build -prune -o -path ./.git -prune -o -path ./results -prune -o \
      \( -name '*.sh' -o -name '*.sbatch' \) -print0
    printf '%s\0' .ci/run)
fi
shellcheck --shell=bash --external-sources --source-path=SCRIPTDIR "${scripts[@]}"
echo "${#scripts[@]} scripts are clean"
