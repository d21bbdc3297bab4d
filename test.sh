#!/usr/bin/env bash
# Installs what the tests need, builds and runs them. Safe to repeat; see --help.
set -euo pipefail
# shellcheck source=.ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/.ci/common.sh"

usage() {
  cat <<'EOF'
usage: ./test.sh [release|dev|asan] [--labels REGEX] [--exclude REGEX]
                 [--slurm] [--no-install]
       ./test.sh fast [--since REVISION] [--no-install]
       ./test.sh tidy [FILE...]
       ./test.sh soak [--hours N] [--seed S] [--only REGEX] [--no-install]
       ./test.sh fuzz [--minutes N]

Installs the packages that are missing (Debian, Ubuntu), builds scalesweep with its tests in
build/PRESET and runs them. With labels, only the programs that such tests need are built.

  release   optimised, as used (default)
  dev       debug, contracts checked, warnings are errors
  asan      as dev, with the address and undefined behaviour sanitizers
  fast      of preset dev the unit and property tests of the layers whose files changed, and the
            quick checks of the sources: for a change of some lines, a minute or two
  tidy      clang-tidy over the sources (or over FILE...) instead of tests
  soak      runs that are killed, stopped and starved at random for a time, of the release build
            alone: a table at the end, build/soak/report.md and a line for each trial beside it
  fuzz      fuzz targets (tests/fuzz) instead of tests, N minutes in all (11): with clang's
            libFuzzer, else the program that draws inputs blindly, of preset asan

  --since REVISION  files that differ from there (default: what is not committed, or the last
                    commit), for example --since main
  --hours N         how long the soak takes (default 1; 0.5 is half an hour)
  --seed S          another random order of it (default 1)
  --only REGEX      scenarios with such a name: kill, disk, planted_links, ...

  --labels REGEX    only tests with such a label: unit, property, validation, mpi, cli, slurm, ...
  --exclude REGEX   no tests with such a label
  --slurm           install Slurm as well, for the tests on a private cluster of it (label slurm),
                    which are skipped without; its daemons are neither started nor enabled
  --no-install      build with what is there; install nothing
EOF
}

preset=release
no_install=no
packages='test'
selection=()
soak_options=()
tidy_files=()
fuzz_minutes=11
since=()
while (($# > 0)); do
  case $1 in
    release | dev | asan | fast | tidy | soak | fuzz) preset=$1 ;;
    --since)
      [[ $preset == fast ]] || fail 64 "$1 is an option of ./test.sh fast"
      (($# > 1)) || fail 64 "$1 needs a revision, for example --since main"
      since=("$1" "$2")
      shift
      ;;
    --hours | --seed | --only)
      [[ $preset == soak ]] || fail 64 "$1 is an option of ./test.sh soak"
      (($# > 1)) || fail 64 "$1 needs a value"
      soak_options+=("$1" "$2")
      shift
      ;;
    --minutes)
      (($# > 1)) || fail 64 "--minutes needs a number, for example --minutes 11"
      fuzz_minutes=$2
      shift
      ;;
    --labels | --exclude)
      (($# > 1)) || fail 64 "$1 needs a regular expression, for example $1 'unit|property'"
      if [[ $1 == --labels ]]; then
        labels=$2 selection+=(--label-regex "$2")
      else
        exclude=$2 selection+=(--label-exclude "$2")
      fi
      shift
      ;;
    --slurm) packages=slurm ;;
    --no-install) no_install=yes ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      [[ $preset == tidy && -e $1 ]] || fail 64 "unknown argument '$1'; see ./test.sh --help"
      tidy_files+=("$(realpath "$1")")
      ;;
  esac
  shift
done

# Options of a build with tests; in CI warnings are errors in every preset.
options=(-DSCALESWEEP_TESTS=ON)
[[ ${CI:-} == true ]] && options+=(-DSCALESWEEP_WERROR=ON)

run_tidy() {
  command -v clang-tidy >/dev/null ||
    fail 69 "clang-tidy is not installed (Debian: apt-get install clang-tidy)"
  configure dev test "${options[@]}"
  # Generated headers must be there before anything can be parsed.
  build_preset dev scalesweep_version
  cd "$root"
  if ((${#tidy_files[@]} == 0)); then
    mapfile -t tidy_files < <(find "$root/src" "$root/analysis" -name '*.cpp' | sort)
  fi
  say "Running clang-tidy over ${#tidy_files[@]} files."
  printf '%s\0' "${tidy_files[@]}" |
    xargs -0 -n 1 -P "$(cores)" clang-tidy --quiet -p build/dev \
    --extra-arg=-Wno-unknown-warning-option --warnings-as-errors='*'
  say "clang-tidy found nothing."
}

# What changed, and no more: the unit tests of its layers, their properties on fewer draws, and the
# checks of sources that take seconds.
run_fast() {
  local files folders folder targets=() code=0 built names
  names=$(python3 -B "$root/.ci/fast.py" files "${since[@]}") || exit 1
  [[ -n $names ]] || fail 1 "nothing changed there; --since main compares with main, for example"
  mapfile -t files <<<"$names"
  names=$(python3 -B "$root/.ci/fast.py" folders "${files[@]}")
  say "Changed: ${files[*]}"
  cd "$root"
  python3 -B tests/lint/check_layers.py || code=1
  python3 -B tests/lint/check_sources.py || code=1
  tests/lint/check_format.sh "${files[@]}" || (($? == 77)) || code=1
  if [[ -z $names ]]; then
    say "No test is that of these files alone; documents: ./test.sh --labels docs."
    return "$code"
  fi
  mapfile -t folders <<<"$names"
  for folder in "${folders[@]}"; do targets+=("$folder/all"); done
  configure dev test "${options[@]}"
  build_preset dev "${targets[@]}"
  built=$SECONDS
  for folder in "${folders[@]}"; do
    say "Testing $folder."
    RC_PARAMS=max_success=25 ctest --test-dir "build/dev/$folder" --parallel "$(cores)" \
      --output-on-failure </dev/null || code=1
  done
  say "Checks and build $(seconds_text "$built"), tests $(seconds_text $((SECONDS - built)))."
  return "$code"
}

# The program alone is built, in the folder of the release; nothing else is needed.
run_soak() {
  local python=/usr/bin/python3
  [[ -x $python ]] || python=python3
  configure release test "${options[@]}"
  build_preset release scalesweep
  single_machine_mpi
  say "Disturbing runs; Ctrl-C ends it with the table."
  cd "$root"
  SCALESWEEP=$root/build/release/bin/scalesweep SCALESWEEP_SOURCE_DIR=$root \
    MPIEXEC=$(command -v mpirun || true) \
    "$python" -B tests/soak/soak.py --report build/soak "${soak_options[@]}"
}

# Whether clang links its libFuzzer.
has_libfuzzer() {
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null
}

run_fuzz() {
  local preset=fuzz program=bin/scalesweep_fuzz
  if has_libfuzzer; then
    configure fuzz test
  else
    warn "clang++ with libFuzzer is not here (Debian: apt-get install clang): inputs are drawn" \
      "blindly."
    preset=asan program=tests/fuzz_replay
    configure asan test "${options[@]}"
  fi
  build_preset "$preset" "${program##*/}"
  say "Fuzzing for $fuzz_minutes min."
  python3 "$root/tests/fuzz/fuzz.py" --program "$root/build/$preset/$program" \
    --minutes "$fuzz_minutes" --jobs "$(cores)" --output "$root/build/fuzz"
}

# Attribute of the <testsuite> element that ctest wrote.
suite() { sed -n "s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$results" | head -n 1; }

# What the tests with the chosen labels run: all, or scalesweep and those programs.
selected_programs() {
  if ((${#selection[@]} == 0)); then
    echo all
    return
  fi
  echo scalesweep
  awk -v labels="${labels:-.}" -v exclude="${exclude:-^$}" '
    {
      wanted = 0
      for (i = 2; i <= NF; ++i) {
        if ($i ~ exclude) next
        if ($i ~ labels) wanted = 1
      }
      if (wanted) print $1
    }' "$root/build/$preset/test-programs.txt"
}

run_tests() {
  local code=0 programs built ended failed skipped
  results=$root/build/$preset/test-results.xml
  # ./start.sh leaves the benchmarks out; they are run by hand, but must build.
  [[ $preset == release ]] && options+=(-DSCALESWEEP_BENCHMARKS=ON)
  configure "$preset" test "${options[@]}"
  mapfile -t programs < <(selected_programs)
  build_preset "$preset" "${programs[@]}"
  built=$SECONDS
  rm -f "$results"
  say "Testing (preset $preset)."
  ctest --test-dir "$root/build/$preset" --parallel "$(cores)" --output-on-failure \
    --no-tests=error --output-junit "$results" "${selection[@]}" </dev/null || code=$?
  ended=$SECONDS
  [[ -e $results ]] || fail 1 "no test was run."
  failed=$(suite failures)
  skipped=$(($(suite skipped) + $(suite disabled)))
  echo
  say "Preset $preset: packages and build $(seconds_text "$built"), tests" \
    "$(seconds_text $((ended - built)))."
  command -v slurmctld >/dev/null ||
    say "Slurm is not installed: tests on it are skipped (./test.sh --slurm installs it)."
  echo "tests: $(($(suite tests) - failed - skipped)) passed, $failed failed, $skipped skipped"
  return "$code"
}

install_packages "$packages"
install_optional_packages report "the HTML report"
install_optional_packages docs "the site of the documents"
if [[ $preset == fast ]]; then
  run_fast
elif [[ $preset == tidy ]]; then
  run_tidy
elif [[ $preset == soak ]]; then
  run_soak
elif [[ $preset == fuzz ]]; then
  run_fuzz
else
  run_tests
fi
