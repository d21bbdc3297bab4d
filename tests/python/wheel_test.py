"""The wheel: made by the target, installed away from the build by pip without a network, and used
there.

    wheel_test.py BUILD_FOLDER SOURCE_FOLDER
"""
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SKIPPED = 77
try:
    import numpy  # noqa: F401
    import pip  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

BUILD, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
PACKAGE = BUILD / "python" / "scalesweep"
QUESTION = """
import scalesweep
from pathlib import Path
from scalesweep import _library
here = Path(scalesweep.__file__).resolve().parent
assert here == Path("{target}/scalesweep").resolve(), here
assert Path(_library.library_files()[0]).parent == here / "lib"
best = scalesweep.estimate(kind="training", model="llama-3-8b", device="h100", devices=8,
                           sequence=8192, global_batch=64)
print(best.status, best["step_time"])
nodes = here / "share" / "scalesweep" / "nodes"
(nodes / "broken.toml").write_text("schema = 1\\n[device.mine]\\nspeed = 1\\n")
try:
    scalesweep.Catalog()
except scalesweep.SpecError as error:
    assert str(nodes / "broken.toml") in str(error), error
    print("its own catalog")
"""


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = Path(cls.folder.name)
        cls.wheels = [cls.build(cls.out / name) for name in ("one", "two")]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def build(cls, out):
        library = next(file for file in sorted((BUILD / "lib").glob("libscalesweep.so.*")))
        done = subprocess.run(
            [sys.executable, "-B", SOURCE / "python" / "build_wheel.py", PACKAGE, library,
             SOURCE / "nodes", SOURCE / "LICENSE", SOURCE / "python" / "README.md", out],
            check=True, capture_output=True, text=True)
        return Path(done.stdout.strip())

    def test_the_same_input_gives_the_same_bytes(self):
        self.assertEqual(self.wheels[0].read_bytes(), self.wheels[1].read_bytes())

    def test_its_name_says_what_it_is(self):
        version = next(line.split("VERSION ")[1].split()[0]
                       for line in (SOURCE / "CMakeLists.txt").read_text().splitlines()
                       if line.startswith("project("))
        machine = os.uname().machine
        self.assertEqual(self.wheels[0].name, f"scalesweep-{version}-py3-none-linux_{machine}.whl")
        with zipfile.ZipFile(self.wheels[0]) as archive:
            names = archive.namelist()
            self.assertIsNone(archive.testzip())
        self.assertIn("scalesweep/reader.py", names)
        self.assertIn("scalesweep/share/scalesweep/nodes/devices-nvidia.toml", names)
        self.assertIn(f"scalesweep-{version}.dist-info/LICENSE", names)

    def test_pip_installs_it_and_it_estimates(self):
        target = self.out / "site"
        subprocess.run(
            [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
             "--no-compile", "--target", target, self.wheels[0]],
            check=True, env={**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1"})
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("SCALESWEEP_NODES", "SCALESWEEP_LIBRARY")}
        environment["PYTHONPATH"] = str(target)
        done = subprocess.run([sys.executable, "-B", "-c", QUESTION.format(target=target)],
                              env=environment, cwd=self.out, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\Aok \d+\.\d+\nits own catalog\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
