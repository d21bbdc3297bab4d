#!/usr/bin/env bash
# How start.sh and test.sh deal with packages, with stand-ins for id, sudo, dpkg-query and apt-get:
# nothing is installed and nothing is built (the stand-in of cmake ends the script).
#   scripts_test.sh SOURCE_FOLDER
set -euo pipefail

source_folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clone=$work/clone
tools=$work/tools
mkdir -p "$clone" "$tools"
cp -r "$source_folder"/{start.sh,test.sh,packages.txt,.ci} "$clone"
failures=0

# stand_in NAME BODY: a program that comes first on the PATH and notes its call.
stand_in() {
  # shellcheck disable=SC2016 # for the program to expand
  printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$work" "$2" >"$tools/$1"
  chmod +x "$tools/$1"
}

# run SCRIPT ARGUMENT...: sets code and output; calls has what the stand-ins were asked.
run() {
  : >"$work/calls"
  code=0
  output=$(cd / && PATH=$tools:$PATH "$clone/$1" "${@:2}" 2>&1 </dev/null) || code=$?
  calls=$(cat "$work/calls")
}

expect() {
  local what=$1
  shift
  if ! "$@"; then
    echo "FAILED: $what (exit code $code)"
    printf '%s\n--- calls\n%s\n' "$output" "$calls"
    failures=$((failures + 1))
  fi
}

contains() { [[ $1 == *"$2"* ]]; }
lacks() { [[ $1 != *"$2"* ]]; }

everything_installed() {
  stand_in dpkg-query "awk '!/^#/ && NF { print \"installed \" \$1 \", \" }' $clone/packages.txt"
}
nothing_installed() { stand_in dpkg-query 'exit 1'; }
as_user() { stand_in id 'echo 1000'; }
as_root() { stand_in id 'echo 0'; }

stand_in cmake 'echo "could not find libfoo"; exit 1'

# Options.
run start.sh --help
expect "help says what the script does" contains "$output" "usage: ./start.sh"
expect "help ends well" [ "$code" = 0 ]
run start.sh --frobnicate
expect "an unknown option is refused" [ "$code" = 64 ]
expect "and named" contains "$output" "unknown option '--frobnicate'"
run start.sh --ranks many
expect "a number of ranks that is none is refused" [ "$code" = 64 ]
run test.sh everything
expect "an unknown preset is refused" [ "$code" = 64 ]
run test.sh --hours 2
expect "hours are those of the soak" contains "$output" "--hours is an option of ./test.sh soak"
expect "and a mistake of usage" [ "$code" = 64 ]
run test.sh soak --hours
expect "they need a number" contains "$output" "--hours needs a value"

run test.sh --since main
expect "a revision is that of the fast tests" contains "$output" \
  "--since is an option of ./test.sh fast"
run test.sh fast --since
expect "it needs a value" contains "$output" "--since needs a revision"

# The fast tests: those of the folder of what changed.
mkdir -p "$clone"/tests/unit/{core,store} "$clone"/src/core
cp -r "$source_folder"/tests/lint "$clone/tests"
touch "$clone"/tests/unit/{core,store}/CMakeLists.txt "$clone/src/core/text.cpp"
stand_in git 'exit 128'
run test.sh fast --no-install
expect "without git they do not know" contains "$output" \
  "the changed files are those that git knows of"
expect "and end" [ "$code" = 1 ]
stand_in git 'exit 0'
run test.sh fast --no-install
expect "nothing changed is said" contains "$output" "nothing changed there"
stand_in git '[[ $* == *--name-only* ]] && echo src/core/text.cpp; exit 0'
stand_in ctest 'exit 0'
stand_in cmake 'exit 0'
run test.sh fast --no-install
expect "they build that folder" contains "$calls" "--target tests/unit/core/all"
expect "and run it" contains "$calls" "ctest --test-dir build/dev/tests/unit/core --parallel"
expect "no other" lacks "$calls" "unit/store"
stand_in ctest 'exit 8'
run test.sh fast --no-install
expect "a failure is one" [ "$code" = 1 ]
rm "$tools"/{git,ctest}
stand_in cmake 'echo "could not find libfoo"; exit 1'

# A user who may not install is told what is missing, for three systems, and nothing is tried.
as_user
nothing_installed
stand_in sudo 'exit 1'
stand_in apt-get 'exit 0'
run start.sh
expect "stops with its own code" [ "$code" = 69 ]
expect "lists Debian's packages" contains "$output" "apt-get install build-essential cmake"
expect "lists Fedora's packages" contains "$output" "dnf install gcc-c++ cmake"
expect "lists Spack's packages" contains "$output" "spack install gcc cmake"
expect "does not ask for what only tests need" lacks "$output" libgtest-dev
expect "installs nothing" lacks "$calls" "apt-get"
expect "builds nothing" lacks "$calls" "cmake --preset"
run test.sh
expect "test.sh stops as well" [ "$code" = 69 ]
expect "and asks for what tests need" contains "$output" libgtest-dev

# The same user with --no-install builds with what there is, and hears what it needs if it fails.
run start.sh --no-install
expect "configures" contains "$calls" "cmake --preset release"
expect "shows what cmake said" contains "$output" "could not find libfoo"
expect "lists what the build needs" contains "$output" "libtomlplusplus-dev"
expect "fails" [ "$code" = 1 ]
expect "never asks for sudo" lacks "$calls" "sudo"

# With sudo, and with an index that has to be fetched first.
# shellcheck disable=SC2016 # for the programs to expand
{
  stand_in sudo 'shift; exec "$@"'  # without its -n
  stand_in apt-get '[[ $1 == update ]] && touch "${0%/*}/index"; [[ -e "${0%/*}/index" ]]'
}
run start.sh
expect "asks sudo" contains "$calls" "sudo -n env DEBIAN_FRONTEND=noninteractive apt-get install"
expect "fetches the index after a failure" contains "$calls" "apt-get update"
expect "then goes on to build" contains "$calls" "cmake --preset release"
expect "no package starts a daemon" contains "$calls" "DPkg::Path=$clone/build/logs/no-daemons:"
expect "nor can it" [ "$("$clone/build/logs/no-daemons/invoke-rc.d" x start; echo $?)" = 0 ]

# Slurm comes only when it is asked for; its daemons then do not start with the next boot.
expect "start.sh leaves Slurm out" lacks "$calls" "slurm-wlm"
run test.sh
expect "and test.sh" lacks "$calls" "slurm-wlm"
expect "but not what tests need" contains "$calls" "libgtest-dev"
expect "daemons that are not here stay alone" lacks "$calls" "disable"
# shellcheck disable=SC2016 # for the programs to expand
{
  stand_in apt-get 'case "$*" in *slurm-wlm*) touch "${0%/*}/slurm-is-here" ;; esac'
  stand_in dpkg-query '[[ $3 == *Package* ]] || [[ ! -e ${0%/*}/slurm-is-here ]] || echo installed'
}
for tool in systemctl update-rc.d; do stand_in "$tool" 'exit 0'; done
run test.sh --slurm
expect "with --slurm it comes" contains "$calls" "slurm-wlm"
for service in munge slurmctld slurmd; do
  expect "systemd does not start $service" contains "$calls" "systemctl disable $service.service"
  expect "nor does another" contains "$calls" "update-rc.d $service disable"
done
run test.sh --slurm
expect "those of a Slurm that was here stay as they are" lacks "$calls" "disable"

# Packages that cannot be had even then.
stand_in apt-get 'echo "E: Unable to locate package"; exit 100'
as_root
run start.sh
expect "root needs no sudo" lacks "$calls" "sudo"
expect "shows what apt-get said" contains "$output" "E: Unable to locate package"
expect "stops with the lists" [ "$code" = 69 ]

# Only the report needs npm and a browser: where they cannot be had, the tests go on without.
stand_in dpkg-query "awk '!/^#/ && !/for=report/ && NF { print \"installed \" \$1 \", \" }' \
  $clone/packages.txt"
sed -i 's/unless=npm/unless=no-such-npm/; s/unless=chromium/unless=no-such-browser/' \
  "$clone/packages.txt"
run start.sh
expect "start.sh leaves them alone" lacks "$calls" "apt-get"
run test.sh
expect "test.sh tries them" contains "$calls" "apt-get install -y --no-install-recommends"
expect "both of them" contains "$calls" "chromium npm"
expect "says what is left out" contains "$output" "the HTML report or its tests are left out"
expect "and goes on to build" contains "$calls" "cmake --preset release"
sed -i 's/unless=no-such-npm/unless=sh/; s/unless=no-such-browser/unless=sh/' "$clone/packages.txt"
run test.sh
expect "a command that is there needs no package" lacks "$calls" "apt-get"
stand_in cmake 'echo "-- HTML report: left out, because npm is away"'
run start.sh --no-install
expect "a build without the report says so" contains "$output" \
  "the HTML report is left out of this build: npm is away."
stand_in cmake 'echo "could not find libfoo"; exit 1'

# The site of the documents likewise.
stand_in dpkg-query "awk '!/^#/ && !/for=docs/ && NF { print \"installed \" \$1 \", \" }' \
  $clone/packages.txt"
run start.sh
expect "start.sh leaves what the site needs alone" lacks "$calls" "apt-get"
run test.sh
expect "test.sh tries it" contains "$calls" "mkdocs mkdocs-material"
expect "says that the site is left out" contains "$output" \
  "the site of the documents or its tests are left out"
expect "and goes on to build without it" contains "$calls" "cmake --preset release"

# CI may run one half alone.
run .ci/run everything
expect "a half that there is not is refused" [ "$code" = 64 ]
expect "and those that there are named" contains "$output" "there are asan and release"

# Nothing is installed twice.
everything_installed
run start.sh
expect "says that all is there" contains "$output" "All packages are installed."
expect "leaves apt-get alone" lacks "$calls" "apt-get"

# From nothing to a study. Whether there is mpirun is looked at behind the packages, which bring it.
bare=$work/bare
mkdir -p "$bare" "$clone/build/release/bin" "$clone/sweeps"
ln -s /usr/bin/* "$bare/"
rm -f "$bare"/{mpirun,mpirun.*,mpiexec}
stand_in cmake 'exit 0'
stand_in nproc 'echo 2'
# shellcheck disable=SC2016 # for the program to expand
stand_in scalesweep '[[ $1 != run ]] || touch "$4"; [[ $1 != report ]] || touch "$4"'
mv "$tools/scalesweep" "$clone/build/release/bin/"
# run_bare ARGUMENT...: start.sh on a machine that has no MPI.
run_bare() {
  : >"$work/calls"
  code=0
  output=$(cd / && PATH=$tools:$bare "$clone/start.sh" "$@" 2>&1 </dev/null) || code=$?
  calls=$(cat "$work/calls")
}
nothing_installed
# shellcheck disable=SC2016 # for the programs to expand
stand_in apt-get '[[ $* != *install* ]] ||
  { printf "#!/bin/bash\nshift 2; exec \"\$@\"\n" >"${0%/*}/mpirun"; chmod +x "${0%/*}/mpirun"; }'
run_bare
expect "a study is made" [ "$code" = 0 ]
expect "on all cores, by what was just installed" contains "$output" \
  "Running sweeps/quick.toml on 2 processes."
expect "which is what is said" lacks "$output" "no mpirun"
expect "and what comes next" contains "$output" "mpirun -n 2 build/release/bin/scalesweep run"
rm -rf "$tools/mpirun" "$clone/results"
run_bare --no-install
expect "one process makes it too" [ "$code" = 0 ]
expect "where there is no mpirun" contains "$output" \
  "Running sweeps/quick.toml on one process: there is no mpirun."
expect "nor is it proposed" lacks "$output" "mpirun -n"

if ((failures > 0)); then
  echo "$failures expectations failed"
  exit 1
fi
echo "start.sh and test.sh behave"
