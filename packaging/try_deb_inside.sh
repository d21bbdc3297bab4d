#!/usr/bin/env bash
# Of try_deb.sh, inside the clean root: /tmp/scalesweep.deb and /tmp/client.c are there.
set -euo pipefail
cd /tmp
say() { printf '==> %s\n' "$*"; }

before=$(du -sm --exclude=/proc --exclude=/sys --exclude=/dev / | cut -f1)
apt-get update -qq
apt-get install -y -qq ./scalesweep.deb >install.log 2>&1 || { tail install.log && exit 1; }
after=$(du -sm --exclude=/proc --exclude=/sys --exclude=/dev / | cut -f1)
packages=$(grep -c '^Setting up' install.log)
say "installed: scalesweep $(dpkg-query -W -f '${Version}' scalesweep), of $packages packages" \
  "in all, $((after - before)) MB with their lists"
dpkg --audit

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
TOML
say "$(scalesweep --version)"
scalesweep run small.toml -o one.h5 --quiet
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
mpirun --oversubscribe -n 2 scalesweep run small.toml -o two.h5 --quiet
scalesweep diff one.h5 two.h5 >diff.txt && say "one process and two give the same"
scalesweep run /usr/share/scalesweep/sweeps/quick.toml -o quick.h5 2>&1 | grep points | tail -n 1
scalesweep analyze small.h5 >/dev/null 2>&1 && exit 1  # there is none
scalesweep analyze one.h5 --output analysis >/dev/null 2>analysis.err
[[ -n $(find analysis -name '*.png') ]] || { cat analysis.err && exit 1; }
say "$(find analysis -name '*.png' | wc -l) figures"
code=0
scalesweep report one.h5 -o one.html >/dev/null 2>report.err || code=$?
case $code in
  0) say "a report of $(du -k one.html | cut -f1) KB" ;;
  69) say "without a report: this package was built without" ;;
  *) cat report.err && exit 1 ;;
esac

python3 -B - <<'PYTHON'
import scalesweep
best = scalesweep.estimate(kind="training", model="llama-3-8b", device="h100", devices=8,
                           sequence=8192, global_batch=64)
print("==> Python", scalesweep.__version__, "estimates", f"{best['step_time']:.4g}",
      best.units["step_time"])
PYTHON
apt-get install -y -qq --no-install-recommends gcc libc6-dev pkg-config >>install.log 2>&1
# shellcheck disable=SC2046 # words of a command
gcc -std=c99 -Wall -Werror client.c $(pkg-config --cflags --libs scalesweep) -o client
say "C: $(./client small.toml)"

apt-get remove -y -qq scalesweep >>install.log 2>&1
left=$(find /usr -path '*scalesweep*' -not -path '*__pycache__*' | head)
[[ -z $left ]] || { echo "left behind: $left" && exit 1; }
say "removed without a trace"
