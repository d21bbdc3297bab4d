"""Finished studies as DataFrames."""


def open(path, columns=None, where=None):
    """Rows of a finished study as a pandas DataFrame, `columns` of them (default: all) and those
    alone for which the columns in `where` have the given value: {"status": "ok"}.

    Names are categories in the order of the study. `attrs["units"]` has the units of each column,
    `attrs["columns"]` what else is said of them, `attrs["axes"]` the values of axes.
    """
    from . import reader  # which needs h5py and pandas: all else does without
    frame = reader.read_study(path, columns, where)
    frame.attrs["units"] = {name: reader.units(frame, name) for name in frame.columns}
    return frame
