"""Estimates of training, inference and serving of large models, in Python.

    import scalesweep
    best = scalesweep.estimate(kind="training", model="llama-3-70b", device="h100", devices=64,
                               sequence=8192, global_batch=512)
    best["step_time"], best.units["step_time"]

Study: a spec, its points and columns; Space and Search: for optimizers; open: a finished study as
a DataFrame. Needs numpy; pandas where a DataFrame is asked for, and h5py for `open`.
"""
from ._library import Catalog, Error, Infeasible, NoSuchPoint, SpecError
from ._version import VERSION as __version__
from .files import open
from .search import Search, Space
from .study import Column, Estimate, Objective, Parameter, Study, estimate, evaluate

__all__ = ["Catalog", "Column", "Error", "Estimate", "Infeasible", "NoSuchPoint", "Objective",
           "Parameter", "Search", "Space", "SpecError", "Study", "estimate", "evaluate", "open"]

for _error in (Error, Infeasible, NoSuchPoint, SpecError):
    _error.__module__ = __name__  # tracebacks name them as users do
del _error
