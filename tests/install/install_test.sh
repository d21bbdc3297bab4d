#!/usr/bin/env bash
# An installed copy finds its own nodes, sweeps and figures, away from the source tree, and other
# programs are built with it.
#   install_test.sh BUILD_FOLDER SOURCE_FOLDER
set -euo pipefail

build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*"
  exit 1
}

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
# Moved, so that no path of the build can help.
prefix=$work/moved
mv "$work/prefix" "$prefix"
program=$prefix/bin/scalesweep
spec=$prefix/share/scalesweep/sweeps/quick.toml
unset SCALESWEEP_NODES SCALESWEEP_LIBRARY
cd "$work"
version=$("$program" --version)
version=${version#scalesweep }
"$program" check "$spec"
"$program" plan "$spec" >plan.txt
grep -q points plan.txt
for file in share/scalesweep/analysis/figures.py share/scalesweep/analysis/figures_base.py \
  share/doc/scalesweep/README.md share/doc/scalesweep/LICENSE share/doc/scalesweep/copyright \
  share/man/man1/scalesweep.1 share/man/man1/scalesweep-run.1 \
  share/bash-completion/completions/scalesweep share/zsh/site-functions/_scalesweep \
  share/fish/vendor_completions.d/scalesweep.fish include/scalesweep/scalesweep.h \
  lib/libscalesweep.so lib/pkgconfig/scalesweep.pc lib/cmake/scalesweep/scalesweepConfig.cmake \
  lib/python3/dist-packages/scalesweep/__init__.py "share/modulefiles/scalesweep/$version"; do
  [[ -e $prefix/$file ]] || fail "not installed: $file"
done

# A study, its report and its figures.
cat >small.toml <<'TOML'
schema = 1
title = "a small study"
[workload]
kind = "training"
model = "llama-3-8b"
sequence = 8192
global_batch = 64
[system]
accelerators = 8
device = ["h100-sxm", "b200-sxm"]
[strategy]
tensor_parallel = [1, 2, 4]
TOML
"$program" run small.toml -o small.h5 --quiet
"$program" analyze small.h5 --output analysis >analysis.txt 2>analysis.err
code=0
"$program" report small.h5 -o small.html >/dev/null 2>report.err || code=$?
if ((code == 69)); then
  echo "without a report: $(tail -n 1 report.err)"
else
  ((code == 0)) || fail "report: $(cat report.err)"
  grep -q '</html>' small.html || fail "the report is no page"
  # Whose the code in it is, with the texts of the packages themselves, here and in the page.
  for file in small.html "$prefix/share/doc/scalesweep/report-licences.txt" \
    "$prefix/share/doc/scalesweep/copyright"; do
    for words in 'echarts [0-9]' 'zrender [0-9]' 'Apache License' 'Mike Bostock'; do
      grep -q "$words" "$file" || fail "$file has no '$words'"
    done
  done
fi
if /usr/bin/python3 -c 'import h5py, matplotlib' 2>/dev/null; then
  [[ -n $(find analysis -name '*.png') ]] || fail "no figures: $(cat analysis.err)"
  echo 'raise SystemExit("the installed script")' >"$prefix/share/scalesweep/analysis/figures.py"
  "$program" analyze small.h5 --output again >/dev/null 2>analysis.err
  grep -q 'the installed script' analysis.err || fail "figures of another tree"
fi

# Programs in C, by pkg-config and by CMake.
answer() { LD_LIBRARY_PATH=$prefix/lib "$@" small.toml; }
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[[ $(pkg-config --modversion scalesweep) == "$version" ]] || fail "pkg-config has another version"
# shellcheck disable=SC2046 # words of a command
"${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic "$source/tests/install/client/client.c" \
  $(pkg-config --cflags --libs scalesweep) -o by-pkg-config
answer ./by-pkg-config >pkg-config.txt
cmake -S "$source/tests/install/client" -B client -DCMAKE_PREFIX_PATH="$prefix" >client.log
cmake --build client >>client.log
# Read whole: grep -q would end before ldd has written all, which pipefail takes for a failure.
libraries=$(ldd client/client)
[[ $libraries == *"$prefix/lib/libscalesweep"* ]] || fail "linked with another: $libraries"
client/client small.toml >cmake.txt
cmp pkg-config.txt cmake.txt
grep -q "points, scalesweep $version, " cmake.txt || fail "the client said: $(cat cmake.txt)"
symbols=$(nm -D --defined-only "$prefix/lib/libscalesweep.so" | grep -vc ' scalesweep_' || true)
((symbols == 1)) || fail "$symbols other symbols than the interface's, with the name of its version"

# Python, and what a module sets.
if /usr/bin/python3 -c 'import numpy' 2>/dev/null; then
  PYTHONPATH=$prefix/lib/python3/dist-packages /usr/bin/python3 -B - "$prefix" <<'PYTHON'
import sys
from pathlib import Path
import scalesweep
from scalesweep import _library
prefix = Path(sys.argv[1]).resolve()
assert Path(scalesweep.__file__).is_relative_to(prefix)
assert Path(_library.library_files()[0]).parent == prefix / "lib"
assert scalesweep.Study("small.toml").best().feasible
PYTHON
fi
if command -v tclsh >/dev/null; then
  tclsh "$source/tests/install/modulefile.tcl" "$prefix/share/modulefiles/scalesweep/$version" \
    >module.txt
  grep -qx "PATH $(realpath "$prefix")/bin" module.txt || fail "the module: $(cat module.txt)"
  while read -r name folder; do
    [[ -d $folder ]] || fail "the module sets $name to $folder, which is not there"
  done <module.txt
fi

# Its own catalog: a mistake in it is told with its place.
printf 'schema = 1\n[device.mine]\nspeed = 1\n' >"$prefix/share/scalesweep/nodes/broken.toml"
code=0
"$program" check "$spec" 2>broken.txt || code=$?
((code == 65)) || fail "a mistake in the installed catalog is not seen: exit code $code"
grep -q "$(realpath "$prefix")/share/scalesweep/nodes/broken.toml:3:1: error" broken.txt ||
  fail "another catalog: $(cat broken.txt)"
code=0
answer ./by-pkg-config 2>broken.txt || code=$?
((code == 1)) || fail "the library has another catalog"
echo "the installed copy works"
