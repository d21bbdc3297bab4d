#!/usr/bin/env bash
# Installs a Debian package of scalesweep in a clean Debian 12 and uses it there; see --help.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: packaging/try_deb.sh PACKAGE.deb|--build [--mirror URL]

Makes a root of Debian 12 with mmdebstrap, installs the package and what it depends on and
recommends there, runs a study on one process and by mpirun on two, its analysis with figures, its
report, a program in C and the Python package, and removes the package again. Needs root, mmdebstrap
and a network; nothing outside a temporary folder is changed.

  --build        first build the package of HEAD, in a clean root of its own, as the container does
  --mirror URL   take Debian's packages from there (default: http://deb.debian.org/debian)
EOF
}

package='' build=no mirror=http://deb.debian.org/debian
while (($# > 0)); do
  case $1 in
    --build) build=yes ;;
    --mirror) mirror=${2:?--mirror needs a URL} && shift ;;
    -h | --help) usage && exit 0 ;;
    *) package=$1 ;;
  esac
  shift
done
[[ -f $package || $build == yes ]] || { usage >&2 && exit 64; }
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is not installed" >&2 && exit 69; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
leave() {
  local mounted
  for mounted in "$work"/*/proc "$work"/*/sys "$work"/*/dev; do
    if mountpoint -q "$mounted"; then umount --lazy "$mounted"; fi
  done
  rm -rf --one-file-system "$work"
}
trap leave EXIT

# make_root ROOT: a clean Debian 12, whose way to Debian's packages is that of this machine.
make_root() {
  local settings
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$1" "$mirror"
  mount -t proc proc "$1/proc"
  mount --bind /sys "$1/sys" # how many processors there are, for mpirun
  mount --bind /dev "$1/dev"
  [[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$1/etc/resolv.conf"
  for settings in /etc/apt/apt.conf.d/*proxy*; do
    [[ ! -e $settings ]] || cp "$settings" "$1/etc/apt/apt.conf.d/"
  done
}

# inside ROOT COMMAND...: there, with nothing of the environment here but a proxy.
inside() {
  local at=$1
  shift
  chroot "$at" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
    ${https_proxy:+https_proxy="$https_proxy"} "$@"
}

if [[ $build == yes ]]; then
  make_root "$work/build"
  mkdir "$work/build/source"
  git -C "$here/.." archive HEAD | tar -x -C "$work/build/source"
  inside "$work/build" /source/packaging/build_deb.sh /packages
  package=$(echo "$work"/build/packages/*.deb)
fi
echo "==> ${package##*/}: $(stat -c %s "$package") bytes"
dpkg-deb -f "$package" Depends Recommends
make_root "$work/run"
cp "$package" "$work/run/tmp/scalesweep.deb"
cp "$here/../tests/install/client/client.c" "$here/try_deb_inside.sh" "$work/run/tmp/"
inside "$work/run" bash /tmp/try_deb_inside.sh
