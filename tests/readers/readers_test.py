"""Opens a study with the readers that others have, as FORMAT.md says, without code of ours.

readers_test.py PROGRAM SOURCE_FOLDER
"""
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])

SPEC = """
schema = 1
title = "For readers"

[workload]
kind = "training"
model = "llama-2-7b"
sequence = [2048, 4096]
global_batch = 64

[system]
accelerators = [8, 16]
device = ["a100-sxm-80gb", "h100-sxm"]
power_limit = ["400 W", "0.35 kW"]
scale_out = "HDRx1"

[strategy]
tensor_parallel = [1, 2]
micro_batch = [1]
recompute = ["none", "selective"]
"""


def lacks(*modules):
    return [name for name in modules if importlib.util.find_spec(name) is None]


def needs(*modules):
    missing = lacks(*modules)
    return unittest.skipIf(missing, f"not installed: {', '.join(missing)}")


class Readers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        folder = pathlib.Path(cls.folder.name)
        (folder / "readers.toml").write_text(SPEC)
        cls.file = folder / "readers.h5"
        subprocess.run([PROGRAM, "run", folder / "readers.toml", "-o", cls.file, "--no-sync"],
                       check=True, capture_output=True)

    def rows(self):
        """What there is, told by the program itself: numbers of axes and one of a figure."""
        run = subprocess.run([PROGRAM, "query", self.file, "--select",
                              "sequence,accelerators,power_limit,device,step_time",
                              "--all-statuses", "--format", "csv"],
                             check=True, capture_output=True, text=True)
        lines = run.stdout.splitlines()
        names = lines[0].split(",")
        return [dict(zip(names, line.split(","))) for line in lines[1:]]

    def check_study(self, study, words):
        """`study`: columns by name; `words`: names of the values of `device`."""
        rows = self.rows()
        self.assertEqual(len(study["step_time"].values), len(rows))
        for name in ["sequence", "accelerators", "power_limit"]:
            self.assertEqual(list(study[name].values), [float(row[name]) for row in rows], name)
        self.assertEqual(set(study["power_limit"].values), {400.0, 350.0})
        self.assertEqual([words[place] for place in study["device"].values],
                         [row["device"] for row in rows])
        for name, unit in [("step_time", "s"), ("power_limit", "W"), ("sequence", "1"),
                           ("memory_total", "B")]:
            self.assertEqual(study[name].attrs["units"], unit)

    def opened_by(self, engine):
        import xarray
        with xarray.open_dataset(self.file, group="results", engine=engine) as study:
            self.assertEqual(study["step_time"].dims, ("point_id",))
            self.assertEqual(study["step_time"].attrs["long_name"], "step time")
            self.assertEqual(list(study.indexes), ["point_id"])
            meanings = study["device"].attrs["flag_meanings"].split()
            self.assertEqual(list(study["device"].attrs["flag_values"]), [0, 1])
            self.check_study(study, meanings)
            self.assertEqual({"step_time", "status", "bottleneck", "recompute"} -
                             set(study.variables), set())

    @needs("xarray", "netCDF4")
    def test_xarray_by_netcdf4(self):
        self.opened_by("netcdf4")

    @needs("xarray", "h5netcdf")
    def test_xarray_by_h5netcdf(self):
        self.opened_by("h5netcdf")

    @needs("netCDF4")
    def test_netcdf4_has_the_names_of_enums(self):
        import netCDF4
        with netCDF4.Dataset(self.file) as file:
            results = file["results"]
            names = results["device"].datatype.enum_dict
            self.assertEqual(names, {"a100-sxm-80gb": 0, "h100-sxm": 1})
            self.assertEqual(results["step_time"].units, "s")
            self.assertEqual(len(results.variables),
                             len(results.columns))  # no column is left out
            self.assertEqual(file.title, "For readers")

    @needs("h5py", "pandas")
    def test_pandas_as_the_readme_has_it(self):
        import h5py
        import pandas
        with h5py.File(self.file) as file:
            table = pandas.DataFrame(
                {n: file["results"][n][:] for n in file["results"].attrs["columns"]})
        self.assertEqual(list(table["accelerators"].unique()), [8.0, 16.0])

    @unittest.skipIf(shutil.which("ncdump") is None, "not installed: netcdf-bin")
    def test_ncdump(self):
        run = subprocess.run(["ncdump", "-v", "device,power_limit", self.file], check=True,
                             capture_output=True, text=True)
        self.assertIn("ubyte enum device_names {a100-sxm-80gb = 0, h100-sxm = 1}", run.stdout)
        self.assertIn("device_names device(point_id) ;", run.stdout)
        self.assertIn('string power_limit:units = "W"', run.stdout)
        self.assertRegex(run.stdout, r"device = a100-sxm-80gb, ")
        self.assertRegex(run.stdout, r"power_limit = 400, ")
        self.assertEqual(run.stderr, "")

    @unittest.skipIf(shutil.which("h5dump") is None, "not installed: hdf5-tools")
    def test_h5dump(self):
        run = subprocess.run(["h5dump", "-d", "/results/device", "-y", "-w", "0", self.file],
                             check=True, capture_output=True, text=True)
        self.assertIn("a100-sxm-80gb, ", run.stdout)


if __name__ == "__main__":
    if lacks("h5py"):
        print("h5py is not installed (package python3-h5py)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
