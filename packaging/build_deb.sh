#!/usr/bin/env bash
# Builds scalesweep and its Debian package: installs what that needs, as ./start.sh does.
#   packaging/build_deb.sh FOLDER     puts scalesweep_VERSION_ARCHITECTURE.deb there
set -euo pipefail
# shellcheck source=.ci/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../.ci/common.sh"

folder=${1:?give the folder that the package goes to}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
install_packages package
configure release package -DSCALESWEEP_TESTS=OFF -DSCALESWEEP_BENCHMARKS=OFF
build_preset release scalesweep
say "Packing."
cd "$root/build/release"
cpack -G DEB -B "$folder" </dev/null
rm -rf "$folder/_CPack_Packages"
