"""scalesweep for Spack, from a clone:

spack repo add CLONE/packaging/spack
spack dev-build --source-path CLONE scalesweep@0.1.0
"""
from spack.package import *


class Scalesweep(CMakePackage):
    """Sweeps of training and serving large models over hardware that exists or may."""

    license("Apache-2.0")

    version("0.1.0")
    version("main")

    variant("mpi", default=True, description="Ranks on many nodes; without it, one process")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("git", type="build")
    depends_on("fmt")
    depends_on("tomlplusplus")
    depends_on("cli11")
    depends_on("libcsv")
    depends_on("libyaml")
    depends_on("pegtl")
    depends_on("eigen")
    depends_on("openssl")
    depends_on("nlohmann-json")
    depends_on("libdeflate")
    # The serial library: no file is open for writing in two ranks.
    depends_on("hdf5~mpi+hl")
    depends_on("mpi", when="+mpi")
    depends_on("python", type=("build", "run"))
    depends_on("py-h5py", type="run")
    depends_on("py-matplotlib", type="run")

    # C++20: the compilers that the project is tested with.
    conflicts("%gcc@:11", msg="needs C++20 of GCC 12 or newer")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("SCALESWEEP_WITH_MPI", "mpi"),
            self.define("SCALESWEEP_TESTS", False),
            self.define("SCALESWEEP_BENCHMARKS", False),
            self.define("SCALESWEEP_UNITY", True),
        ]

    def setup_run_environment(self, env):
        env.prepend_path("PYTHONPATH", self.prefix.lib.python3.join("dist-packages"))
