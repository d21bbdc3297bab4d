#!/usr/bin/env python3
"""Makes scalesweep-VERSION-py3-none-PLATFORM.whl of a staged package, with the standard library.

    build_wheel.py PACKAGE_FOLDER LIBRARY NODES_FOLDER LICENSE README OUT_FOLDER

The platform is the plain linux_MACHINE: the library needs others of the distribution that it was
built on, so that a manylinux tag would not be true. The same input gives the same bytes.
"""
import base64
import hashlib
import platform
import runpy
import sys
import zipfile
from pathlib import Path

DATE = (1980, 1, 1, 0, 0, 0)
METADATA = """Metadata-Version: 2.1
Name: scalesweep
Version: {version}
Summary: Estimates of training, inference and serving of large models
License: Apache-2.0
License-File: LICENSE
Requires-Python: >=3.9
Requires-Dist: numpy
Requires-Dist: pandas; extra == "tables"
Requires-Dist: h5py; extra == "tables"
Provides-Extra: tables
Description-Content-Type: text/markdown

{readme}"""
WHEEL = """Wheel-Version: 1.0
Generator: scalesweep {version}
Root-Is-Purelib: false
Tag: {tag}
"""


def contents_of(package, library, nodes):
    """Names in the wheel and the files that go there."""
    for file in sorted(package.glob("*.py")):
        yield f"scalesweep/{file.name}", file
    yield f"scalesweep/lib/{library.name}", library
    for file in sorted(nodes.rglob("*.toml")):
        yield f"scalesweep/share/scalesweep/nodes/{file.relative_to(nodes)}", file


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def write_wheel(package, library, nodes, license_file, readme, out):
    version = runpy.run_path(str(package / "_version.py"))["VERSION"]
    tag = f"py3-none-linux_{platform.machine()}"
    info = f"scalesweep-{version}.dist-info"
    files = [(name, file.read_bytes()) for name, file in contents_of(package, library, nodes)]
    files += [(f"{info}/LICENSE", license_file.read_bytes()),
              (f"{info}/METADATA",
               METADATA.format(version=version, readme=readme.read_text()).encode()),
              (f"{info}/WHEEL", WHEEL.format(version=version, tag=tag).encode())]
    record = "".join(record_line(*file) for file in files) + f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode()))
    out.mkdir(parents=True, exist_ok=True)
    wheel = out / f"scalesweep-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = (0o755 if ".so" in name else 0o644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit(__doc__)
    print(write_wheel(*(Path(argument) for argument in sys.argv[1:])))
