"""libscalesweep by ctypes: its functions, structures and errors as Python has them.

What each function does, who owns what and which threads may call it: scalesweep/scalesweep.h.
"""
import ctypes
import functools
import os
import threading
import weakref
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p
from pathlib import Path

from ._version import INTERFACE

NO_POINT = 1
USAGE = 64
SECONDS_BETWEEN_SIGNALS = 0.1


class Error(Exception):
    """What the program would have printed; `code` is its exit code."""

    def __init__(self, text, code):
        super().__init__(text)
        self.code = code

    def __reduce__(self):  # what pickle would do calls with the text alone
        return type(self), (str(self), self.code)


class SpecError(Error):
    """Mistakes of a spec or of the catalog, one a line, each with its place."""


class NoSuchPoint(Error, LookupError):
    """No valid point has these values, or several have."""


class Infeasible(Error):
    """Of all points none is feasible; `counts` says of each status how many there are."""

    def __init__(self, text, counts):
        super().__init__(text, code=0)
        self.counts = counts

    def __reduce__(self):
        return type(self), (str(self), self.counts)


class ColumnStruct(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("units", c_char_p), ("long_name", c_char_p),
                ("description", c_char_p), ("better", c_char_p), ("role", c_char_p),
                ("type", c_int), ("label_count", c_size_t), ("labels", POINTER(c_char_p))]


class ObjectiveStruct(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("maximize", c_int)]


class ParameterStruct(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("units", c_char_p), ("description", c_char_p),
                ("follows", c_char_p), ("choice", c_int), ("count", c_size_t),
                ("labels", POINTER(c_char_p)), ("values", POINTER(c_double))]


# Texts that are the caller's come as c_void_p: ctypes would lose the pointer of a c_char_p.
TEXT = POINTER(c_void_p)
FUNCTIONS = {
    "interface_version": (c_int, []),
    "version": (c_char_p, []),
    "free_text": (None, [c_void_p]),
    "spec_schema": (c_int, [TEXT, TEXT]),
    "open_catalog": (c_int, [c_char_p, POINTER(c_void_p), TEXT]),
    "close_catalog": (None, [c_void_p]),
    "open_file": (c_int, [c_char_p, c_void_p, POINTER(c_void_p), TEXT]),
    "open_text": (c_int, [c_char_p, c_char_p, c_void_p, POINTER(c_void_p), TEXT]),
    "close": (None, [c_void_p]),
    "size": (c_int64, [c_void_p]),
    "title": (c_char_p, [c_void_p]),
    "identity": (c_char_p, [c_void_p]),
    "column_count": (c_size_t, [c_void_p]),
    "column_at": (POINTER(ColumnStruct), [c_void_p, c_size_t]),
    "objective_count": (c_size_t, [c_void_p]),
    "objective_at": (POINTER(ObjectiveStruct), [c_void_p, c_size_t]),
    "evaluate_until": (c_int, [c_void_p, POINTER(c_int64), c_size_t, POINTER(c_size_t), c_size_t,
                               c_int, POINTER(c_int), POINTER(c_double), TEXT]),
    "parameter_count": (c_size_t, [c_void_p]),
    "parameter_at": (POINTER(ParameterStruct), [c_void_p, c_size_t]),
    "choices_of": (c_int, [c_void_p, c_int64, POINTER(c_int32), TEXT]),
    "id_of": (c_int, [c_void_p, POINTER(c_int32), POINTER(c_int64), TEXT]),
}


def library_files():
    """Where the library may be: $SCALESWEEP_LIBRARY, in the package, beside it as it is installed,
    then wherever the system finds libraries."""
    given = os.environ.get("SCALESWEEP_LIBRARY")
    if given:
        return [given]
    name = f"libscalesweep.so.{INTERFACE}"
    package = Path(__file__).resolve().parent
    folders = [package / "lib", *list(package.parents)[:3]]
    return [str(folder / name) for folder in folders if (folder / name).exists()] + [name]


@functools.lru_cache(maxsize=None)
def library():
    problem = None
    for file in library_files():
        try:
            loaded = ctypes.CDLL(file)
            break
        except OSError as error:
            problem = problem or error
    else:
        raise ImportError(
            f"libscalesweep cannot be loaded: {problem}; install what it needs (Debian 12: apt-get "
            "install libfmt9 libtomlplusplus3 libhdf5-103-1 libhdf5-hl-100 libdeflate0 libssl3 "
            "libcsv3), or name the library in SCALESWEEP_LIBRARY")
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, "scalesweep_" + name, None)
        if function is None:
            raise ImportError(f"{file} has no function scalesweep_{name}: it is older than this "
                              "package; install both of one version")
        function.restype, function.argtypes = result, arguments
    found = loaded.scalesweep_interface_version()
    if found != INTERFACE:
        raise ImportError(f"libscalesweep has interface {found}, and this package is for "
                          f"{INTERFACE}; install both of one version")
    return loaded


def taken(pointer):
    """A text of the library, which is freed; "" for none."""
    if not pointer.value:
        return ""
    text = ctypes.string_at(pointer.value).decode()
    library().scalesweep_free_text(pointer)
    return text


def call(name, *arguments):
    """Calls a function that has a message last; raises what it says, returns warnings."""
    message = c_void_p()
    code = getattr(library(), "scalesweep_" + name)(*arguments, byref(message))
    text = taken(message).rstrip("\n")
    if code == 0:
        return text
    if code == NO_POINT:
        raise NoSuchPoint(text, code)
    if code == USAGE:
        raise ValueError(text)
    if code == 66:
        raise FileNotFoundError(text)
    raise (SpecError if code == 65 else Error)(text, code)


def interruptible(work):
    """work(stop), in the main thread so that it hears signals: those are heard by no other thread,
    and not while one is in the library. Where Ctrl-C or another exception comes, `stop` becomes 1
    and the rest is left."""
    stop = c_int(0)
    if threading.current_thread() is not threading.main_thread():
        return work(stop)
    done, results, problems = threading.Event(), [], []

    def in_another_thread():  # holds what the library writes to for as long as it does
        try:
            results.append(work(stop))
        except BaseException as problem:
            problems.append(problem)
        finally:
            done.set()

    try:
        threading.Thread(target=in_another_thread, name="scalesweep").start()
    except RuntimeError:  # the interpreter ends, and has no more threads
        return work(stop)
    try:
        while not done.wait(SECONDS_BETWEEN_SIGNALS):
            pass
    except BaseException:
        stop.value = 1
        raise
    if problems:
        raise problems[0]
    return results[0]


def spec_schema():
    schema = c_void_p()
    call("spec_schema", byref(schema))
    return taken(schema)


def c_text(data, what):
    """Bytes as C takes them: up to the first that is zero."""
    place = data.find(b"\0")
    if place >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise ValueError(f"{what} has a zero byte in line {line}; take it out")
    return data


class Handle:
    """Of the library's, closed with its last reference."""

    def __init__(self, pointer, close):
        self.pointer = pointer
        weakref.finalize(self, getattr(library(), "scalesweep_" + close), pointer)


class Catalog:
    """Devices, memories, networks and models, read once for many studies.

    `folder`: one like the nodes/ that comes with scalesweep; None for $SCALESWEEP_NODES, else the
    one that was installed.
    """

    def __init__(self, folder=None):
        pointer = c_void_p()
        self.folder = None if folder is None else os.path.abspath(os.fsdecode(folder))
        name = None if folder is None else c_text(os.fsencode(folder), "the name of a catalog")
        self.warnings = call("open_catalog", name, byref(pointer))
        self.handle = Handle(pointer, "close_catalog")

    def __reduce__(self):
        return catalog_of_folder, (self.folder,)

    def __copy__(self):  # it never changes
        return self

    def __deepcopy__(self, memo):
        return self


@functools.lru_cache(maxsize=None)
def default_catalog(_variable):
    return Catalog()


def catalog_of_folder(folder):
    """The one that is used if nobody says, None, is read once."""
    if folder is None:
        return default_catalog(os.environ.get("SCALESWEEP_NODES"))
    return Catalog(folder)


def catalog_of(given):
    return given if isinstance(given, Catalog) else catalog_of_folder(given)


def open_file(path, catalog):
    pointer = c_void_p()
    warnings = call("open_file", c_text(os.fsencode(path), "the name of a file"),
                    catalog.handle.pointer, byref(pointer))
    return Handle(pointer, "close"), warnings


def open_text(text, name, catalog):
    pointer = c_void_p()
    warnings = call("open_text", c_text(text.encode(), "the spec"),
                    c_text(os.fsencode(name), "the name of a spec"), catalog.handle.pointer,
                    byref(pointer))
    return Handle(pointer, "close"), warnings
