#!/usr/bin/env bash
# Open MPI's mpirun keeps SIGUSR1 from its ranks where Debian's OpenCL driver pocl is installed.
#
# Guess: mpirun hands SIGUSR1 and SIGUSR2 on to all ranks, as its manual says, whatever else is
# installed; a driver for OpenCL concerns programs that call OpenCL.
# Expected: both signals arrive at the rank, with the driver and without.
# Seen: with the driver SIGUSR1 never arrives and nothing is said; SIGUSR2 does. mpirun asks hwloc
# for the machine; its plugin of OpenCL asks the driver for devices; LLVM in the driver
# (RegisterHandlers in lib/Support/Unix/Signals.inc) puts its handler of SIGUSR1 in the place of
# mpirun's, and does nothing in it. SIGUSR2 comes through because LLVM's other handlers put back
# what was there and raise again. HWLOC_COMPONENTS=-opencl avoids it.
# Versions: Debian 12, amd64: the packages below.
#
# Needs apt-get with an index of Debian 12 and dpkg-deb, no right to install: all is unpacked in a
# temporary folder. Half a minute. Exit 0: as seen. 1: something else is seen now. 2: no packages.
set -euo pipefail

packages=(
  openmpi-bin=4.1.4-3+b1 openmpi-common=4.1.4-3 libopenmpi3=4.1.4-3+b1
  libpmix2=4.2.2-1+deb12u1 libhwloc15=2.9.0-1 libhwloc-plugins=2.9.0-1
  libevent-core-2.1-7=2.1.12-stable-8+deb12u1 libevent-pthreads-2.1-7=2.1.12-stable-8+deb12u1
  ocl-icd-libopencl1=2.3.1-1 pocl-opencl-icd=3.1-3+deb12u1 libpocl2=3.1-3+deb12u1
  libpocl2-common=3.1-3+deb12u1 libclang-cpp15=1:15.0.6-4+b1 libllvm15=1:15.0.6-4+b1
  libz3-4=4.8.12-3.1 libedit2=3.1-20221030-2 libbsd0=0.11.7-2 libmd0=1.0.4-2
  libmunge2=0.5.15-2+deb12u1
)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
if ! apt-get download "${packages[@]}" >download.log 2>&1; then
  tail -n 3 download.log >&2
  echo "these versions cannot be had here (apt-get update? another Debian?)" >&2
  exit 2
fi
for package in *.deb; do dpkg-deb --extract "$package" root; done

libraries=$work/root/usr/lib/x86_64-linux-gnu
mkdir vendors none
echo "$libraries/libpocl.so.2.10.0" >vendors/pocl.icd
export PATH=$work/root/usr/bin:$PATH LD_LIBRARY_PATH=$libraries:$libraries/openmpi/lib
export OPAL_PREFIX=$work/root/usr HWLOC_PLUGINS_PATH=$libraries/hwloc
export PMIX_INSTALL_PREFIX=$libraries/pmix2 POCL_CACHE_DIR=$work
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_oob_tcp_if_include=lo OMPI_MCA_plm=isolated OMPI_MCA_btl=self,vader
unset HWLOC_COMPONENTS

# The rank: says which signal came, within five seconds.
cat >rank.sh <<'RANK'
trap 'echo USR1; exit' USR1
trap 'echo USR2; exit' USR2
: >ready
for ((i = 0; i < 50; ++i)); do sleep 0.1; done
echo nothing
RANK

# arrives VENDORS SIGNAL [VARIABLE=VALUE]: what the rank says where mpirun gets the signal.
arrives() {
  rm -f ready
  env OCL_ICD_VENDORS="$work/$1" "${@:3}" orterun -n 1 bash rank.sh >said 2>mpirun.log &
  local pid=$! i
  for ((i = 0; i < 200 && $(test -e ready; echo $?); ++i)); do sleep 0.1; done
  kill "-$2" "$pid"
  wait "$pid" || true
  cat said
}

differs=0
# check WHAT SEEN ARGUMENT_OF_ARRIVES...
check() {
  local now
  now=$(arrives "${@:3}")
  printf '%-58s seen %-8s now %s\n' "$1" "$2" "${now:-nothing at all}"
  [[ $now == "$2" ]] || differs=1
}
check "SIGUSR1 without an OpenCL driver arrives as" USR1 none USR1
check "SIGUSR1 beside pocl arrives as (expected: USR1)" nothing vendors USR1
check "SIGUSR2 beside pocl arrives as" USR2 vendors USR2
check "SIGUSR1 beside pocl, HWLOC_COMPONENTS=-opencl, arrives as" USR1 vendors USR1 \
  HWLOC_COMPONENTS=-opencl
exit "$differs"
