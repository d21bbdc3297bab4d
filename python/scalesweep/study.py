"""Studies: columns, points, and estimates of them."""
import ctypes
import math
import os
import pathlib
import weakref
from collections.abc import Mapping
from ctypes import c_double, c_int32, c_int64, c_size_t
from typing import NamedTuple

import numpy

from . import _library
from ._library import Error, Infeasible, NoSuchPoint, SpecError, call, interruptible, library
from ._numbers import BOOLEANS, no_point, point_ids, thread_count, whole
from ._spec import spec_text, tables_of, with_lines

AT_ONCE = 1 << 17  # points of one call of the library: what it takes of memory beside the result
NUMBER, INTEGER, LABEL = range(3)
AXIS, TOGETHER, LAYOUT, DERIVED = range(4)


class Column(NamedTuple):
    name: str
    units: str  # "s", "B", "USD"; "1" of counts and shares, "" of names
    long_name: str
    description: str
    better: str  # "smaller", "larger" or ""
    role: str
    type: int
    labels: list  # of a column of names


class Objective(NamedTuple):
    name: str
    maximize: bool


class Parameter(NamedTuple):
    name: str
    choices: list  # names, or numbers in SI units
    units: str
    description: str
    kind: int
    labels: list  # of choices, as a person writes them: "700 W"


def texts(pointer, count):
    return [pointer[i].decode() for i in range(count)]


def as_numbers(pointer, count):
    values = [pointer[i] for i in range(count)]
    return [int(v) for v in values] if all(v.is_integer() for v in values) else values


def column_of(struct):
    return Column(struct.name.decode(), struct.units.decode(), struct.long_name.decode(),
                  struct.description.decode(), struct.better.decode(), struct.role.decode(),
                  struct.type, texts(struct.labels, struct.label_count))


def parameter_of(struct):
    labels = texts(struct.labels, struct.count)
    choices = as_numbers(struct.values, struct.count) if struct.values else labels
    return Parameter(struct.name.decode(), choices, struct.units.decode(),
                     struct.description.decode(), struct.choice, labels)


def place_of(parameter, value):
    """The place of a choice, given as its value or as its label."""
    if isinstance(value, BOOLEANS):
        value = "on" if value else "off"
    for place, (choice, label) in enumerate(zip(parameter.choices, parameter.labels)):
        if value in (choice, label) or str(value) == str(choice):
            return place
        if isinstance(choice, (int, float)) and isinstance(value, (int, float)) \
                and math.isclose(choice, value, rel_tol=1e-9):
            return place
    raise ValueError(f"{parameter.name} cannot be {value!r}; it is one of "
                     f"{', '.join(parameter.labels)}")


def no_column(name, known):
    return KeyError(f"there is no column '{name}'; there are {', '.join(known)}")


def c_array(values, type):
    return values.ctypes.data_as(ctypes.POINTER(type))


class Recipe(NamedTuple):
    """How a study is opened again, in another process too."""

    text: str  # of a spec; None of a file
    name: str  # of the file, or what stands for one in messages
    catalog: str
    identity: str


class Study:
    """A spec with the catalog: points 0 ... len(study) - 1, each a row of columns.

    `spec`: the name of a spec or of a finished study; the text of a spec, which has line breaks;
    or a dictionary of its tables. `catalog`: a Catalog, a folder, or None for the one that came
    with scalesweep. Mistakes are raised as SpecError, all at once.

    >>> study = Study({"workload": {"kind": "training", "model": "llama-3-8b", "sequence": 8192,
    ...                             "global_batch": 64},
    ...                "system": {"accelerators": 8, "device": ["h100", "b200"]},
    ...                "strategy": {"tensor_parallel": [1, 2, 4]}})
    >>> study.columns["step_time"].units
    's'
    >>> table = study.evaluate(columns=["device", "tensor_parallel", "status", "step_time"])
    >>> len(table) == len(study)
    True
    >>> table.attrs["units"]["step_time"], list(table.device.cat.categories)
    ('s', ['h100-sxm', 'b200-sxm'])
    >>> study.best()["device"]
    'b200-sxm'
    """

    def __init__(self, spec, catalog=None, name="spec"):
        read = _library.catalog_of(catalog)
        text = None
        if isinstance(spec, dict):
            text = spec_text(spec)
            try:
                self._handle, self.warnings = _library.open_text(text, name, read)
            except SpecError as error:
                raise with_lines(error, text) from None
        elif isinstance(spec, str) and "\n" in spec:
            text = spec
            self._handle, self.warnings = _library.open_text(text, name, read)
        else:
            name = os.fspath(spec)
            self._handle, self.warnings = _library.open_file(name, read)
        identity = library().scalesweep_identity(self._handle.pointer).decode()
        self._recipe = Recipe(text, os.path.abspath(os.fsdecode(name)), read.folder, identity)
        self._describe()

    def __reduce__(self):
        return reopened, (self._recipe,)

    def __copy__(self):  # it never changes
        return self

    def __deepcopy__(self, memo):
        return self

    def _describe(self):
        functions, pointer = library(), self._handle.pointer
        self.title = functions.scalesweep_title(pointer).decode()
        self._size = functions.scalesweep_size(pointer)
        columns = [column_of(functions.scalesweep_column_at(pointer, c).contents)
                   for c in range(functions.scalesweep_column_count(pointer))]
        self.columns = {column.name: column for column in columns}
        self._places = {column.name: place for place, column in enumerate(columns)}
        found = [functions.scalesweep_objective_at(pointer, o).contents
                 for o in range(functions.scalesweep_objective_count(pointer))]
        self.objectives = [Objective(of.name.decode(), of.maximize != 0) for of in found]
        self.parameters = [parameter_of(functions.scalesweep_parameter_at(pointer, p).contents)
                           for p in range(functions.scalesweep_parameter_count(pointer))]

    def __len__(self):
        return self._size

    def _place(self, name):
        if name not in self._places:
            raise no_column(name, self._places)
        return self._places[name]

    def _some(self, ids, places, threads):
        """The values of places in rows, of some ids in columns."""
        values = numpy.empty((len(places), len(ids)))

        def work(stop):
            call("evaluate_until", self._handle.pointer, c_array(ids, c_int64), len(ids), places,
                 len(places), threads, ctypes.byref(stop), c_array(values, c_double))

        if len(ids) == 1:
            work(ctypes.c_int(0))
        else:
            interruptible(work)
        return values

    def arrays(self, ids=None, columns=None, threads=0):
        """Estimates as numpy arrays by column: of names the place in `columns[name].labels`, NaN
        where there is no estimate. `ids`: None for all points, whole numbers, or a mask with True
        or False of each point. `threads`: 0 for one on every processor. Ctrl-C ends it."""
        ids, threads = point_ids(ids, self._size), thread_count(threads)
        if isinstance(columns, str):
            raise TypeError(f"columns is a list of names; write [{columns!r}]")
        names = list(self.columns if columns is None else columns)
        places = (c_size_t * len(names))(*(self._place(name) for name in names))
        values = numpy.empty((len(names), len(ids)))
        for first in range(0, len(ids), AT_ONCE):
            some = numpy.ascontiguousarray(ids[first:first + AT_ONCE])
            values[:, first:first + len(some)] = self._some(some, places, threads)
        return {name: values[n] if self.columns[name].type == NUMBER
                else values[n].astype(numpy.int64) for n, name in enumerate(names)}

    def evaluate(self, ids=None, columns=None, threads=0):
        """The same as a pandas DataFrame: names are categories, `attrs["units"]` has the units and
        `attrs["columns"]` all that is said of columns."""
        import pandas
        arrays = self.arrays(ids, columns, threads)
        frame = pandas.DataFrame({
            name: pandas.Categorical.from_codes(values, self.columns[name].labels, ordered=True)
            if self.columns[name].type == LABEL else values for name, values in arrays.items()})
        about = {name: {key: getattr(self.columns[name], key)
                        for key in ("units", "long_name", "description")} for name in arrays}
        frame.attrs = {"title": self.title, "columns": about,
                       "units": {name: of["units"] for name, of in about.items()}}
        return frame

    def point(self, id):
        """The Estimate of one point."""
        return Estimate(self, id)

    def choices(self, id):
        """What a point is a combination of: the value of each parameter."""
        id = whole(id, "an id")
        if not 0 <= id < self._size:
            raise NoSuchPoint(no_point(id, self._size), _library.NO_POINT)
        places = (c_int32 * len(self.parameters))()
        call("choices_of", self._handle.pointer, id, places)
        return {of.name: of.choices[place] for of, place in zip(self.parameters, places)}

    def id_of(self, values):
        """The id of the point with these values. What has one value, or follows from the rest, may
        be left out. NoSuchPoint if no valid point has them, or several have."""
        known = {parameter.name for parameter in self.parameters}
        for name in values:
            if name not in known:
                raise ValueError(f"there is no parameter '{name}'; there are "
                                 f"{', '.join(sorted(known))}")
        places = (c_int32 * len(self.parameters))(*(
            place_of(of, values[of.name]) if of.name in values else -1 for of in self.parameters))
        found = c_int64()
        call("id_of", self._handle.pointer, places, ctypes.byref(found))
        return found.value

    def losses(self, ids=None):
        """The first objective of each point so that less is better; infinite where a point is not
        feasible. And the statuses, as places in `columns["status"].labels`."""
        name, maximize = self.objectives[0]
        found = self.arrays(ids, ["status", name])
        column = self.columns[name]
        values = found[name].astype(float)
        if column.type == LABEL:  # an axis of numbers
            axis = next(of for of in self.parameters if of.name == name)
            values = numpy.array(axis.choices, dtype=float)[found[name]]
        values = -values if maximize else values
        return numpy.where((found["status"] == 0) & ~numpy.isnan(values), values, numpy.inf), \
            found["status"]

    def best(self):
        """The Estimate of the feasible point with the best first objective; Infeasible if there
        is none."""
        least, best, counts = math.inf, -1, {}
        labels = self.columns["status"].labels
        for first in range(0, len(self), AT_ONCE):
            losses, statuses = self.losses(numpy.arange(first, min(first + AT_ONCE, len(self))))
            place = int(losses.argmin())
            if losses[place] < least:
                least, best = losses[place], first + place
            for status, count in zip(*numpy.unique(statuses, return_counts=True)):
                counts[labels[status]] = counts.get(labels[status], 0) + int(count)
        if best < 0:
            of_each = ", ".join(f"{count} {status}" for status, count in counts.items())
            raise Infeasible(f"none of {len(self)} points is feasible: {of_each}", counts)
        return Estimate(self, best)


_reopened = weakref.WeakValueDictionary()  # by recipe: of many estimates that come back, one study


def reopened(recipe):
    study = _reopened.get(recipe)
    if study is None:
        spec = recipe.name if recipe.text is None else recipe.text
        study = Study(pathlib.Path(spec) if recipe.text is None else spec, recipe.catalog,
                      recipe.name)
        if study._recipe.identity != recipe.identity:
            raise Error(f"{recipe.name} is not the study any more that was pickled: its spec, the "
                        "catalog or scalesweep changed; open it anew", 65)
        _reopened[recipe] = study
    return study


class Estimate(Mapping):
    """A row: `estimate["step_time"]` is a number in `estimate.units["step_time"]`, names are text,
    what there is no estimate of is NaN. Pickled, it has its values in it; its study is opened again
    when somebody asks for it."""

    def __init__(self, study, id):
        self._study = study
        self.id = whole(id, "an id")
        found = study.arrays([self.id], threads=1)
        self._values = {name: self._value(study.columns[name], values[0])
                        for name, values in found.items()}
        self.units = {name: column.units for name, column in study.columns.items()}
        self._text = None

    def __reduce__(self):
        state = {"id": self.id, "units": self.units, "_values": self._values, "_text": repr(self),
                 "_study": self._study if isinstance(self._study, Recipe) else self._study._recipe}
        return Estimate.__new__, (Estimate,), state

    def __copy__(self):  # it never changes
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def study(self):
        if isinstance(self._study, Recipe):
            self._study = reopened(self._study)
        return self._study

    @staticmethod
    def _value(column, value):
        return column.labels[value] if column.type == LABEL else value.item()

    @property
    def status(self):
        return self["status"]

    @property
    def feasible(self):
        return self["status"] == "ok"

    def __getitem__(self, name):
        if name not in self._values:
            raise no_column(name, self._values)
        return self._values[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        if self._text is None:
            shown = [*self._chosen(), *self._main()]
            self._text = "\n".join([f"point {self.id} of {len(self.study)}: {self.status}", *shown])
        return self._text

    def _chosen(self):
        for name, value in self.study.choices(self.id).items():
            if len(next(of for of in self.study.parameters if of.name == name).choices) > 1:
                yield f"  {name} = {value}"

    def _main(self):
        for column in self.study.columns.values():
            is_main = {"main", "time", "unit_cost"} & set(column.role.split())
            if is_main and column.type == NUMBER and not math.isnan(self[column.name]):
                units = "" if column.units == "1" else " " + column.units
                yield f"  {column.name} = {self[column.name]:.6g}{units}"


def estimate(spec=None, /, catalog=None, **keys):
    """The best estimate of what is asked: keys of a spec as keywords, whatever table they stand in.

    `devices` may be written for `accelerators`; what stands in a table of its own is a dictionary
    (`device={"template": ...}`, `prefill={...}`). Of several points, layouts that were left open
    or lists of values, it is the feasible one with the best first objective. A spec may be given
    in place of keywords, as Study takes it. Infeasible if no point is feasible.

    >>> best = estimate(kind="training", model="llama-3-8b", device="h100", devices=8,
    ...                 sequence=8192, global_batch=64)
    >>> best.feasible, best.units["step_time"]
    (True, 's')
    >>> 1 < best["step_time"] < 60
    True
    """
    if spec is not None and keys:
        raise TypeError("give a spec or its keys, not both")
    return Study(tables_of(keys) if spec is None else spec, catalog).best()


def evaluate(spec, ids=None, columns=None, catalog=None, threads=0):
    """Estimates of points of a spec as a pandas DataFrame: Study(spec).evaluate(ids)."""
    return Study(spec, catalog).evaluate(ids, columns, threads)
