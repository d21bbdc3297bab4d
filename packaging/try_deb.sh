#!/usr/bin/env bash
# Installs a Debian package of scalesweep in a clean Debian 12 and uses it there; see --help.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: packaging/try_deb.sh PACKAGE.deb [--keep FOLDER] [--mirror URL]

Makes a root of Debian 12 with mmdebstrap, installs the package and what it depends on and recommends
there, runs a study on one process and by mpirun on two, its analysis with figures, its report, a
program in C and the Python package, and removes the package again. Needs root, mmdebstrap and a
network; nothing outside a temporary folder is changed.

  --keep FOLDER   keep the root there
  --mirror URL    take Debian's packages from there (default: http://deb.debian.org/debian)
EOF
}

package='' keep='' mirror=http://deb.debian.org/debian
while (($# > 0)); do
  case $1 in
    --keep) keep=$2 && shift ;;
    --mirror) mirror=$2 && shift ;;
    -h | --help) usage && exit 0 ;;
    *) package=$1 ;;
  esac
  shift
done
[[ -f $package ]] || { usage >&2 && exit 64; }
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is not installed" >&2 && exit 69; }

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
root=${keep:-$work/root}
cleanup() {
  for mounted in proc sys dev; do
    mountpoint -q "$root/$mounted" && umount "$root/$mounted"
  done
  rm -rf "$work"
}
trap cleanup EXIT

mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$root" "$mirror"
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"  # how many processors there are, for mpirun
mount --bind /dev "$root/dev"
cp "$package" "$root/tmp/scalesweep.deb"
cp "$here/../tests/install/client/client.c" "$here/try_deb_inside.sh" "$root/tmp/"
[[ ! -e /etc/resolv.conf ]] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
# The way to Debian's packages is that of this machine.
for settings in /etc/apt/apt.conf.d/*proxy*; do
  [[ ! -e $settings ]] || cp "$settings" "$root/etc/apt/apt.conf.d/"
done
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
  ${http_proxy:+http_proxy="$http_proxy"} DEBIAN_FRONTEND=noninteractive bash /tmp/try_deb_inside.sh
