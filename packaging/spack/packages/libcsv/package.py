"""libcsv, which Spack may not have: scalesweep reads measured cases with it."""
from spack.package import *


class Libcsv(AutotoolsPackage):
    """A small CSV library in C."""

    homepage = "https://github.com/rgamble/libcsv"
    git = "https://github.com/rgamble/libcsv.git"

    license("LGPL-2.1-or-later")

    version("master", branch="master")

    depends_on("c", type="build")
