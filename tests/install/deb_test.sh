#!/usr/bin/env bash
# The Debian package of the build: what it says of itself, and that what is in it works.
#   deb_test.sh BUILD_FOLDER SOURCE_FOLDER
# In a clean Debian: packaging/try_deb.sh, by hand.
set -euo pipefail

build=$1
source=$2
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool" && exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
  echo "$*"
  exit 1
}

(cd "$build" && cpack -G DEB -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip) >"$work/cpack.log" ||
  fail "$(cat "$work/cpack.log")"
package=("$work"/*.deb)
[[ ${#package[@]} == 1 ]] || fail "several packages: ${package[*]}"
version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
architecture=$(dpkg --print-architecture)
[[ ${package[0]##*/} == "scalesweep_${version}_$architecture.deb" ]] || fail "named ${package[0]}"

field() { dpkg-deb -f "${package[0]}" "$1"; }
[[ $(field Version) == "$version" ]] || fail "version $(field Version)"
for library in libc6 libstdc++6 libfmt libhdf5 libssl libdeflate libcsv libtomlplusplus; do
  [[ $(field Depends) == *"$library"* ]] || fail "does not depend on $library: $(field Depends)"
done
# shellcheck source=.ci/common.sh
recommended=$(bash -c 'source "$0/.ci/common.sh" && package_names debian run' "$source" |
  paste -sd, | sed 's/,/, /g')
[[ $(field Recommends) == "$recommended" ]] || fail "recommends $(field Recommends)"

dpkg-deb -x "${package[0]}" "$work/root"
usr=$work/root/usr
licences=()
[[ ! -e $build/generated/report-licences.txt ]] ||
  licences=(share/doc/scalesweep/report-licences.txt)
for file in share/doc/scalesweep/copyright share/doc/scalesweep/LICENSE "${licences[@]}" \
  include/scalesweep/scalesweep.h lib/python3/dist-packages/scalesweep/_version.py; do
  [[ -e $usr/$file ]] || fail "not in the package: $file"
done
unset SCALESWEEP_NODES SCALESWEEP_LIBRARY
[[ $("$usr/bin/scalesweep" --version) == "scalesweep $version" ]] || fail "another version inside"
"$usr/bin/scalesweep" check "$usr/share/scalesweep/sweeps/quick.toml" 2>/dev/null
[[ -z $(find "$work/root" -perm -o+w -not -type l) ]] || fail "files that anybody may write"
echo "the package holds what it says"
