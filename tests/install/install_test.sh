#!/usr/bin/env bash
# An installed copy finds its own nodes and sweeps, away from the source tree.
#   install_test.sh BUILD_FOLDER
set -euo pipefail

build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
# Moved, so that no path of the build can help.
mv "$work/prefix" "$work/moved"
program=$work/moved/bin/scalesweep
cd "$work"
"$program" --version
"$program" check "$work/moved/share/scalesweep/sweeps/quick.toml"
"$program" plan "$work/moved/share/scalesweep/sweeps/quick.toml" >plan.txt
grep -q points plan.txt
for file in share/scalesweep/figures.py share/doc/scalesweep/README.md \
  share/man/man1/scalesweep.1 share/man/man1/scalesweep-run.1 \
  share/bash-completion/completions/scalesweep share/zsh/site-functions/_scalesweep \
  share/fish/vendor_completions.d/scalesweep.fish; do
  [[ -e $work/moved/$file ]] || { echo "not installed: $file" && exit 1; }
done
echo "the installed copy works"
