"""A study of scalesweep as a pandas DataFrame, for notebooks and scripts.

    from scalesweep_reader import read_study
    study = read_study("quick.h5", columns=["logic", "memory", "step_time"], where={"status": "ok"})
    study.groupby("logic", observed=True)["step_time"].min()
    study["step_time"].attrs["units"], study.attrs["title"]

Needs h5py and pandas and nothing of scalesweep: copy it to where you work.
"""
import h5py
import numpy as np
import pandas as pd


def text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def read_column(dataset):
    """Names as an ordered categorical, in the order of the study; numbers as they are."""
    names = h5py.check_enum_dtype(dataset.dtype)
    if names is None:
        return dataset[()]
    labels = sorted(names, key=names.get)
    return pd.Categorical.from_codes(dataset[()].astype(int), labels, ordered=True)


def matches(name, values, wanted):
    """Which rows have the wanted value. A name that none could have is a mistake, not no rows."""
    if isinstance(values, pd.Categorical) and wanted not in values.categories:
        raise ValueError(f"{name} is never '{wanted}'; it is one of {', '.join(values.categories)}")
    return np.asarray(values == wanted)


def read_axes(file):
    """The values of each axis by their labels: numbers in SI units where they are quantities."""
    axes = {}
    for name, group in file["axes"].items():
        values = group["values"][()] if "values" in group else np.array([])
        labels = [text(label) for label in group["labels"][()]] if "labels" in group else []
        axes[name] = dict(zip(labels, values)) if len(values) == len(labels) else labels
    return axes


def read_study(path, columns=None, where=None):
    """Rows of a finished study, with `columns` (default: all) and those rows alone for which the
    columns in `where` have the given value: {"status": "ok", "memory": "HBM4"}.

    Every column has `attrs` units, long_name and description, the frame has those of the file and
    `axes`, which maps the labels of each axis to their values in SI units.
    """
    with h5py.File(path) as file:
        if "results" not in file:
            raise ValueError(f"{path} has no rows of its own: is it a finished study? "
                             "(scalesweep merge makes one file of a virtual one)")
        results = file["results"]
        known = [text(name) for name in results.attrs["columns"]]
        for name in [*(columns or []), *(where or {})]:
            if name not in known:
                raise KeyError(f"{path} has no column '{name}'; it has {', '.join(known)}")
        keep = np.ones(len(results[known[0]]), dtype=bool)
        for name, value in (where or {}).items():
            keep &= matches(name, read_column(results[name]), value)
        frame = pd.DataFrame({name: pd.Series(read_column(results[name])[keep])
                              for name in columns or known})
        about = {name: {key: text(results[name].attrs[key])
                        for key in ("units", "long_name", "description")
                        if key in results[name].attrs} for name in frame.columns}
        frame.attrs = {key: text(value) for key, value in file.attrs.items()
                       if isinstance(value, (str, bytes))}
        frame.attrs["axes"] = read_axes(file)
        frame.attrs["columns"] = about
    for name, attributes in about.items():
        frame[name].attrs = attributes
    return frame


def units(frame, column):
    """Units of a column, "" for names; also of a frame that was filtered or grouped since."""
    return frame.attrs["columns"].get(column, {}).get("units", "")


def frontier(frame, objectives):
    """The rows that no other one dominates: none is as small in all `objectives` and smaller in
    one. Rows that are equal in all are represented by the first."""
    values = frame[objectives].to_numpy(dtype=float)
    order = np.lexsort(values.T[::-1])
    members = []
    best = np.empty((0, len(objectives)))
    for row in order:
        if np.isnan(values[row]).any() or (best <= values[row]).all(axis=1).any():
            continue
        members.append(row)
        best = np.vstack([best, values[row]])
    return frame.iloc[sorted(members)]
