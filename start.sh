#!/usr/bin/env bash
# From a clone to a finished study: installs what is missing, builds, runs the quick study
# on all cores and analyses it. Safe to repeat; see --help.
set -euo pipefail
# shellcheck source=.ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/.ci/common.sh"

usage() {
  cat <<'EOF'
usage: ./start.sh [--no-install] [--ranks N]

Installs the packages that are missing (Debian, Ubuntu), builds scalesweep, runs the quick study
(sweeps/quick.toml) on all cores and analyses it. Everything is written below build/ and results/
of this clone. Repeating it only does what is not done yet: a study that was stopped goes on, a
finished one is kept.

  --no-install   build with what is there; install nothing
  --ranks N      processes to use (default: one per core)
EOF
}

no_install=no
ranks=$(cores)
while (($# > 0)); do
  case $1 in
    --no-install) no_install=yes ;;
    --ranks)
      ranks=${2:-}
      shift
      [[ $ranks =~ ^[1-9][0-9]*$ ]] || fail 64 "--ranks needs a number, for example --ranks 2"
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *) fail 64 "unknown option '$1'; see ./start.sh --help" ;;
  esac
  shift
done

spec=sweeps/quick.toml
program=build/release/bin/scalesweep
cd "$root"

# As many ranks as asked for, or one process where there is no mpirun.
run_study() {
  if command -v mpirun >/dev/null; then
    mpirun -n "$ranks" "$program" run "$spec" -o "$1" </dev/null
  else
    "$program" run "$spec" -o "$1" </dev/null
  fi
}

# Sets `study` to the first of results/quick.h5, quick-2.h5, ... that is or becomes this study.
# A file that is another study, or of an older version, is left as it is (exit code 73).
find_study() {
  local number code
  for number in 1 2 3 4 5 6 7 8 9; do
    study=results/quick.h5
    ((number == 1)) || study=results/quick-$number.h5
    code=0
    run_study "$study" || code=$?
    case $code in
      0) return ;;
      73)
        [[ -e $study || -e $study.d ]] || exit 73
        say "$study holds another study, or one of another version: left as it is." \
          "Trying the next name."
        ;;
      75) fail 75 "stopped before the end; run ./start.sh again and it goes on." ;;
      *) exit "$code" ;;
    esac
  done
  fail 73 "results/ is full of other studies; move some of them away."
}

began=$SECONDS
install_packages start
configure release start -DSCALESWEEP_TESTS=OFF -DSCALESWEEP_BENCHMARKS=OFF
build_preset release scalesweep
built=$SECONDS

single_machine_mpi
mkdir -p results
# Looked for now: the packages may just have brought it.
if command -v mpirun >/dev/null; then
  say "Running $spec on $ranks processes."
else
  say "Running $spec on one process: there is no mpirun."
fi
find_study
ran=$SECONDS

say "Analysing $study."
report=${study%.h5}-analysis
mkdir -p "$report"
"$program" analyze "$study" </dev/null >"$report/analysis.txt"
# The page of the report needs npm when it is built; without, all else is there.
page="${study%.h5}.html"
page_code=0
"$program" report "$study" -o "$page" </dev/null >/dev/null || page_code=$?
case $page_code in
  0) page_text=$page ;;
  69) page_text="none: this build has no HTML report (see above)" ;;
  *) page_text="none: scalesweep report failed (see above)" ;;
esac
analysed=$SECONDS

on_ranks=
if command -v mpirun >/dev/null; then
  on_ranks="mpirun -n $ranks "
  if (($(id -u) == 0)); then
    # What root must say.
    on_ranks="OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $on_ranks"
  fi
fi
echo
say "Done in $(seconds_text $((analysed - began))): packages and build \
$(seconds_text $((built - began))), study $(seconds_text $((ran - built))), \
analysis $(seconds_text $((analysed - ran)))."
cat <<EOF
  study     $study ($(du -h --apparent-size "$study" | cut -f1))
  analysis  $report/analysis.txt: what the best points are limited by, and where that moves
  tables    $report/*.analysis.h5, and as CSV beside it
  figures   $report/*.png, and as SVG beside them
  report    $page_text

Next:
  $program status $study
      what is in the file
  $program plan sweeps/technology-scaling.toml
      the full study: points, time, bytes; runs nothing
  $on_ranks$program run sweeps/technology-scaling.toml -o results/technology.h5
      runs it
  README.md, sweeps/tour.md
      a study of your own; every command once, reading the file in Python
EOF
