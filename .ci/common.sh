# Shared by start.sh, test.sh and .ci/run: messages, packages, building. Sourced, not run.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$root/build/logs

readonly exit_missing_packages=69

# One process per core; under a batch system or in a container, those that were given to us.
cores() { nproc; }

say() { printf '==> %s\n' "$*"; }

warn() { printf 'warning: %s\n' "$*" >&2; }

fail() {
  local code=$1
  shift
  printf 'error: %s\n' "$@" >&2
  exit "$code"
}

# seconds_text SECONDS: "1 min 05 s".
seconds_text() {
  if (($1 < 60)); then
    printf '%d s' "$1"
  else
    printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  fi
}

# package_names COLUMN GROUP: names in packages.txt of column debian, fedora or spack;
# group start has what start.sh needs, test what test.sh needs as well, slurm what a batch system
# needs as well; report has what the HTML report can use, docs what the site of the documents can,
# each alone; package what making a Debian package needs; run what it recommends.
package_names() {
  awk -v column="$1" -v group="$2" '
    { sub(/#.*/, "") }
    NF == 0 { next }
    group == "run" && !/ at=run/ { next }
    group == "package" && / for=/ && !/ also=package/ { next }
    group != "package" && / for=report/ != (group == "report") { next }
    group != "package" && / for=docs/ != (group == "docs") { next }
    group == "start" && / for=test/ { next }
    group != "slurm" && / for=slurm/ { next }
    {
      name = $1
      if (column != "debian") {
        name = ""
        for (i = 2; i <= NF; ++i)
          if (index($i, column "=") == 1) name = substr($i, length(column) + 2)
      }
      if (name != "" && name != "-") print name
    }' "$root/packages.txt"
}

# has_command NAME: whether the line of a package names a command that is there without it.
has_command() {
  local command
  command=$(awk -v name="$1" '
    { sub(/#.*/, "") }
    $1 == name { for (i = 2; i <= NF; ++i) if (sub(/^unless=/, "", $i)) print $i }
    ' "$root/packages.txt")
  [[ -n $command ]] && command -v "$command" >/dev/null
}

# missing_packages GROUP: those of Debian that are not installed, nor provided by one that is.
missing_packages() {
  local present
  # shellcheck disable=SC2016 # fields of dpkg-query
  present=$(dpkg-query -W -f '${db:Status-Status} ${Package}, ${Provides}\n' 2>/dev/null |
    sed -n 's/^installed //p' | tr ',' '\n' | awk '{ print $1 }' | sort -u) || true
  comm -13 <(printf '%s\n' "$present") <(package_names debian "$1" | sort -u) |
    while read -r name; do
      has_command "$name" || printf '%s\n' "$name"
    done
}

# unnamed_packages COLUMN GROUP: Debian names of those that have none in that column.
unnamed_packages() {
  awk -v name="$1=" -v group="$2" '
    { sub(/#.*/, "") }
    NF == 0 || index($0, name) { next }
    / for=report/ != (group == "report") { next }
    / for=docs/ != (group == "docs") { next }
    group == "start" && / for=test/ { next }
    group != "slurm" && / for=slurm/ { next }
    { print $1 }' "$root/packages.txt"
}

# print_package_lists GROUP: the same list for Debian, Fedora and Spack.
print_package_lists() {
  local debian fedora spack from_source
  debian=$(package_names debian "$1" | paste -sd ' ')
  fedora=$(package_names fedora "$1" | paste -sd ' ')
  spack=$(package_names spack "$1" | paste -sd ' ')
  from_source=$({
    unnamed_packages fedora "$1"
    unnamed_packages spack "$1"
  } | sort -u | paste -sd " ")
  cat <<EOF

Debian, Ubuntu:  apt-get install $debian

Fedora, RHEL:    dnf install $fedora

Spack:           spack install $spack

No package is known there, on one of the two or both, for: ${from_source:-nothing}.
Those have to be built from source. Only the Debian names were tried.

EOF
}

# install_packages GROUP: installs what is missing, or says what and stops.
install_packages() {
  local group=$1 missing as_root=()
  if [[ ${no_install:-} == yes ]]; then
    return
  fi
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "This is no Debian or Ubuntu: going on with the packages that are here."
    return
  fi
  mapfile -t missing < <(missing_packages "$group")
  if ((${#missing[@]} == 0)); then
    say "All packages are installed."
    return
  fi
  if (($(id -u) != 0)); then
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
    if ! command -v sudo >/dev/null || ! "${as_root[@]}" true; then
      stop_for_packages "$group" "you are not root, and sudo is not available to you" \
        "${missing[@]}"
    fi
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  mkdir -p "$logs"
  # The package index may be absent or old: then it is fetched, and the same is tried again.
  if ! apt_install "${missing[@]}" >"$logs/packages.log" 2>&1; then
    say "Fetching the package index first."
    "${as_root[@]}" apt-get update >>"$logs/packages.log" 2>&1 || true
    if ! apt_install "${missing[@]}" >>"$logs/packages.log" 2>&1; then
      tail -n 15 "$logs/packages.log" >&2
      stop_for_packages "$group" "apt-get could not install them (all of what it said is in \
$logs/packages.log)" "${missing[@]}"
    fi
  fi
}

# install_optional_packages GROUP WHAT: what something and its tests use that all else is whole
# without: a failure is told, no more.
install_optional_packages() {
  local group=$1 what=$2 missing as_root=() log
  if [[ ${no_install:-} == yes ]] || ! command -v dpkg-query >/dev/null ||
    ! command -v apt-get >/dev/null; then
    return
  fi
  mapfile -t missing < <(missing_packages "$group")
  if ((${#missing[@]} == 0)); then
    return
  fi
  if (($(id -u) != 0)); then
    as_root=(sudo -n)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  say "Installing for $what: ${missing[*]}"
  mkdir -p "$logs"
  log=$logs/packages-$group.log
  if ! apt_install "${missing[@]}" >"$log" 2>&1; then
    "${as_root[@]}" apt-get update >>"$log" 2>&1 || true
    apt_install "${missing[@]}" >>"$log" 2>&1 ||
      warn "apt-get could not install ${missing[*]} (what it said is in $log):" \
        "$what or its tests are left out."
  fi
}

# Uses as_root of the caller. Packages that bring a daemon (Slurm's, for the tests) would start it
# now, and with every boot. What their scripts call to start it is, for them alone, a program that
# does nothing; then those daemons that were not here before are disabled.
apt_install() {
  local quiet=$logs/no-daemons name new=() code=0
  for name in munge slurmctld slurmd; do
    is_installed "$name" || new+=("$name")
  done
  mkdir -p "$quiet"
  for name in invoke-rc.d deb-systemd-invoke; do
    printf '#!/bin/sh\nexit 0\n' >"$quiet/$name"
    chmod 755 "$quiet/$name"
  done
  "${as_root[@]}" apt-get install -y --no-install-recommends \
    -o DPkg::Path="$quiet:/usr/sbin:/usr/bin:/sbin:/bin" "$@" </dev/null || code=$?
  for name in "${new[@]}"; do
    if is_installed "$name"; then disable_at_boot "$name"; fi
  done
  return "$code"
}

is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# disable_at_boot SERVICE: for systemd, and for machines that boot without it.
disable_at_boot() {
  local tool
  for tool in "systemctl disable $1.service" "update-rc.d $1 disable"; do
    # shellcheck disable=SC2086 # words of a command
    if command -v "${tool%% *}" >/dev/null; then "${as_root[@]}" $tool || true; fi
  done
}

stop_for_packages() {
  local group=$1 why=$2
  shift 2
  {
    echo "error: packages are missing and cannot be installed here: $why."
    echo "missing: $*"
    print_package_lists "$group"
    echo "Install them, or ask your administrator to; then run ./${0##*/} again."
    echo "If modules or Spack provide them under other names, load those and run"
    echo "./${0##*/} --no-install, which builds with what is there."
  } >&2
  exit "$exit_missing_packages"
}

# configure PRESET GROUP OPTION...: cmake, with the package lists where it fails.
configure() {
  local preset=$1 group=$2
  shift 2
  mkdir -p "$logs"
  # A compiler cache where there is one; not into a build that began without, which would then
  # start from nothing. Paths count from the clone, so that a second clone finds what a first built.
  if command -v ccache >/dev/null && [[ ! -e $root/build/$preset/CMakeCache.txt ]]; then
    set -- "$@" -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache
  fi
  say "Configuring (preset $preset)."
  command -v cmake >/dev/null ||
    stop_for_packages "$group" "cmake is not on the PATH" cmake
  if ! (cd "$root" && cmake --preset "$preset" "$@") >"$logs/configure-$preset.log" 2>&1; then
    tail -n 25 "$logs/configure-$preset.log" >&2
    echo "error: cmake failed (all of what it said is in $logs/configure-$preset.log)." >&2
    echo "If something was not found, this is what the build needs:" >&2
    print_package_lists "$group" >&2
    exit 1
  fi
  # Nothing but the report depends on npm and its registry; nobody should find out by surprise.
  local left_out
  left_out=$(sed -n 's/^-- HTML report: left out, because //p' "$logs/configure-$preset.log")
  if [[ -n $left_out ]]; then
    warn "the HTML report is left out of this build: $left_out."
  fi
}

# build_preset PRESET TARGET...: with all cores, as far as memory goes (1 GiB a compiler).
build_preset() {
  local preset=$1 jobs memory_gib
  shift
  jobs=$(cores)
  memory_gib=$(awk '/^MemAvailable:/ { print int($2 / 1048576) }' /proc/meminfo 2>/dev/null || echo)
  if [[ -n $memory_gib ]] && ((memory_gib < jobs)); then
    jobs=$((memory_gib > 1 ? memory_gib : 1))
  fi
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1
  say "Building (preset $preset, $jobs jobs)."
  cmake --build "$root/build/$preset" --parallel "$jobs" --target "$@" </dev/null ||
    fail 1 "the build failed; the first error above says why."
}

# What lets Open MPI start on any one machine: as root in a container, on more ranks than cores,
# on loopback and shared memory only. Other MPI libraries ignore these.
single_machine_mpi() {
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
  export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
  export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo
  export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
  export PRTE_MCA_hwloc_default_binding_policy=none
  # Where there is an OpenCL driver, hwloc loads it into mpirun, and LLVM in it keeps SIGUSR1 from
  # the ranks (findings/).
  [[ ${HWLOC_COMPONENTS:-} == *opencl* ]] ||
    export HWLOC_COMPONENTS=${HWLOC_COMPONENTS:+$HWLOC_COMPONENTS,}-opencl
}
