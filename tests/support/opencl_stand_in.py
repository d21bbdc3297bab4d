"""An environment like that of a machine with an OpenCL driver, in which mpirun keeps SIGUSR1."""
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "hwloc_opencl.c"


def environment_with_opencl(folder):
    """What to set for mpirun, with what is made in a folder; None where nothing can be made: there
    is no compiler, or hwloc without its headers."""
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", SOURCE, "-o",
                        Path(folder) / "hwloc_opencl.so"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return {"HWLOC_PLUGINS_PATH": str(folder)}
