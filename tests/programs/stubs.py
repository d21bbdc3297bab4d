"""Stands in for modules that are not installed, so that a parser of arguments can be imported."""
import importlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
import typing
from unittest.mock import MagicMock


class StubType(type(typing.Protocol)):
    """A class whose attributes are all there."""

    def __getattr__(cls, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return MagicMock(name=name)


def stub_class(name):
    return StubType(name, (), {"__init__": lambda self, *a, **k: None,
                               "__class_getitem__": classmethod(lambda cls, item: cls)})


class StubModule(types.ModuleType):
    """What a module is asked for is there: a class where the name begins so, else a mock."""

    def __getattr__(self, name):
        if name == "__version__":
            return "2.8.0"
        if name.startswith("__"):
            raise AttributeError(name)
        if self.__name__ == "typing_extensions" and hasattr(typing, name):
            return getattr(typing, name)
        value = stub_class(name) if name[:1].isupper() else MagicMock(name=name)
        if name in ("override", "deprecated"):
            value = lambda *a, **k: a[0] if a and callable(a[0]) else (lambda f: f)  # noqa: E731
        setattr(self, name, value)
        return value


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Asked last: finds every module that is not installed."""

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        installed = top in sys.modules and not isinstance(sys.modules[top], StubModule)
        if top in sys.stdlib_module_names or (installed and top != name):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = StubModule(spec.name)
        module.__path__ = spec.submodule_search_locations or []
        return module

    def exec_module(self, module):
        pass


class Packages(Absent):
    """Asked first: packages of a program without their __init__, which import all of it."""

    def __init__(self, root, package, whole, given):
        self.root = root
        self.package = package
        self.whole = set(whole)  # packages whose __init__ is run
        self.given = given       # {name: module that has it}, of what an __init__ would bring

    def find_spec(self, name, path=None, target=None):
        folder = os.path.join(self.root, *name.split("."))
        if name.partition(".")[0] != self.package or name in self.whole \
                or not os.path.isdir(folder):
            return None
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True)
        spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec):
        given = self.given

        class Package(StubModule):
            def __getattr__(self, name):
                if name in given:
                    return getattr(importlib.import_module(given[name]), name)
                return super().__getattr__(name)

        module = Package(spec.name)
        module.__path__ = spec.submodule_search_locations
        return module
