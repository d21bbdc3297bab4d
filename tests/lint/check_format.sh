#!/usr/bin/env bash
# Checks that every C++ and JavaScript file, or those that are named, is as clang-format 14 writes
# it; other versions differ in details.
#   check_format.sh [--fix] [FILE...]
# Exit 0 clean, 1 not, 77 (skipped) without that clang-format.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

formatter=""
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "skipped: clang-format 14 is not installed (Debian: apt-get install clang-format-14)"
  exit 77
fi

options=(--dry-run --Werror)
if [[ ${1:-} == --fix ]]; then
  options=(-i)
  shift
fi
sources=()
if (($# > 0)); then
  for file in "$@"; do
    if [[ $file =~ ^(src|analysis|tests)/.*\.(hpp|cpp|js|mjs)$ && -e $file ]]; then
      sources+=("$file")
    fi
  done
else
  mapfile -d '' sources < <(find src analysis tests \( -name '*.hpp' -o -name '*.cpp' -o \
    -name '*.js' -o -name '*.mjs' \) -not -path '*/node_modules/*' -print0)
fi
if ((${#sources[@]} > 0)); then
  "$formatter" "${options[@]}" "${sources[@]}"
fi
echo "${#sources[@]} files are formatted"
