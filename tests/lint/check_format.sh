#!/usr/bin/env bash
# Checks that every C++ and JavaScript file is as clang-format 14 writes it; other versions differ
# in details.
#   check_format.sh [--fix]
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

mapfile -d '' sources < <(find src analysis tests \( -name '*.hpp' -o -name '*.cpp' -o \
  -name '*.js' -o -name '*.mjs' \) -not -path '*/node_modules/*' -print0)
if [[ ${1:-} == --fix ]]; then
  exec "$formatter" -i "${sources[@]}"
fi
"$formatter" --dry-run --Werror "${sources[@]}"
echo "${#sources[@]} files are formatted"
