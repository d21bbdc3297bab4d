"""Reads the sample study as a colleague with h5py would, and checks what it finds."""

import math
import sys

import h5py
import numpy

with h5py.File(sys.argv[1]) as file:
    assert file.attrs["format"] == "scalesweep-study", dict(file.attrs)
    assert file.attrs["title"] == "A sample"
    results = file["results"]
    names = list(results.attrs["columns"])
    table = {name: results[name][:] for name in names}
    rows = int(file.attrs["rows"])
    assert all(len(column) == rows for column in table.values())
    assert (table["point_id"] == numpy.arange(rows)).all()

    labels = h5py.check_enum_dtype(results["memory"].dtype)
    assert labels == {"HBM2": 0, "HBM3 (µ)": 1}, labels
    assert (table["memory"] == numpy.arange(rows) // 50 % 2).all()
    # Names for readers that know no enums, and where netCDF looks for the type.
    flags = results["memory"].attrs
    assert flags["flag_meanings"] == "HBM2 HBM3__µ_", flags["flag_meanings"]
    assert list(flags["flag_values"]) == [0, 1]
    assert flags["flag_values"].dtype == results["memory"].dtype
    assert isinstance(file["memory_names"], h5py.Datatype)
    assert file["memory_names"].dtype == results["memory"].dtype
    # Of an axis with units the numbers.
    assert results["power"].dtype == numpy.float64 and results["power"].attrs["units"] == "W"
    assert (table["power"] == numpy.where(numpy.arange(rows) // 30 % 2, 700.0, 350.0)).all()
    assert results["step_time"].dtype == numpy.float64
    assert results["dram_time"].dtype == numpy.float32
    assert results["step_time"].attrs["units"] == "s"
    assert results["step_time"].attrs["long_name"] == "step time"
    noise = math.sin(7 * 12.9898) * 43758.5453
    assert table["step_time"][7] == 1.0 + noise - math.floor(noise)

    assert h5py.h5ds.is_scale(results["point_id"].id)
    assert results["step_time"].dims[0][0] == results["point_id"]
    if not results["step_time"].is_virtual:
        assert results["step_time"].compression == "gzip"
        assert results["step_time"].shuffle and results["step_time"].fletcher32

    assert list(file["axes"].attrs["axes"]) == ["memory", "tensor_parallel", "power"]
    assert list(file["axes/memory/labels"].asstr()) == ["HBM2", "HBM3 (µ)"]
    assert list(file["axes/tensor_parallel/values"]) == [1, 2, 4, 8]
    counts = dict(zip(file["summary/count_names"].asstr(), file["summary/counts"]))
    assert sum(counts.values()) == rows, counts
    assert file["provenance/spec"].asstr()[()].startswith("a = 1\n")
    print(f"read {rows} rows of {len(names)} columns")
