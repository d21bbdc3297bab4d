#!/usr/bin/env python3
"""Options are read from source files as the programs make them, and nothing is passed over."""
import contextlib
import io
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import read_options
from reading import fields, parsers, rows
from reading.values import Sources

ARGUMENTS = """
    import argparse
    WORDS = ["one", "two"]
    MORE = WORDS + ["three"]

    class Defaults:
        size: int = 1024 * 2
        kind: str = "one"

    class Deprecated(argparse.Action):
        def __init__(self, option_strings, dest, nargs=0, **kwargs):
            super().__init__(option_strings, dest, nargs=nargs, **kwargs)

    def add_choice():
        WORDS.append("four")

    def add(parser):
        group = parser.add_argument_group(title="a")
        group.add_argument("-t", "--tensor-size", type=int, default=Defaults.size)
        group.add_argument("--kind", type=str, choices=MORE, default=Defaults.kind)
        group.add_argument("--share", type=float, required=True)
        group.add_argument("--on", action="store_true")
        group.add_argument("--both", action=argparse.BooleanOptionalAction, default=True)
        group.add_argument("--sizes", nargs="+", type=int)
        group.add_argument("--range", nargs=3, type=int)
        group.add_argument("--level", type=int, choices=range(0, 3))
        group.add_argument("--maybe", nargs="?", const="x")
        group.add_argument("--again", action="append")
        group.add_argument("--own", type=frequency)
        group.add_argument("--old", action=Deprecated, help="none")
        group.add_argument("--count", type=human_readable_int)
        group.add_argument("model", nargs="?")
        for side in ("left", "right"):
            group.add_argument(f"--{side}-side", type=int, default=0)
        group.add_argument(name_of_it(), type=int)

    def add_hidden(parser):
        parser.add_argument("--hidden")
"""


def sources(**files):
    made = Sources()
    for name, text in files.items():
        made.add(name + ".py", textwrap.dedent(text))
    return made


def by_name(found):
    return {row.names[0]: row for row in found}


class Argparse(unittest.TestCase):
    def setUp(self):
        self.reader = parsers.ArgumentCalls(sources(a=ARGUMENTS), "a.py", ["add_hidden"]).read()
        self.rows = by_name(self.reader.rows)

    def row(self, name):
        found = self.rows[name]
        return found.kind, found.type, found.choices, found.default

    def test_every_form_of_a_call(self):
        self.assertEqual(self.rows["--tensor-size"].names, ["--tensor-size", "-t"])
        self.assertEqual(self.row("--tensor-size"), ("value", "int", None, "2048"))
        self.assertEqual(self.row("--kind"), ("value", "str", ["one", "two", "three"], "one"))
        self.assertEqual(self.row("--share"), ("value required", "float", None, ""))
        self.assertEqual(self.row("--on")[:2], ("switch", ""))
        self.assertEqual(self.row("--both"), ("switch", "", None, "True"))
        self.assertEqual(self.row("--no-both")[:2], ("switch", ""))
        self.assertEqual(self.row("--sizes")[:2], ("list", "int"))
        self.assertEqual(self.row("--range")[:2], ("3 values", "int"))
        self.assertEqual(self.row("--level"), ("value", "int", ["0", "1", "2"], ""))
        self.assertEqual(self.row("--maybe")[0], "optional")
        self.assertEqual(self.row("--again")[0], "repeated")
        self.assertEqual(self.row("--own")[1], "frequency")
        self.assertEqual(self.row("--left-side"), ("value", "int", None, "0"))
        self.assertIn("--right-side", self.rows)
        self.assertEqual(self.row("--old")[0], "switch")
        self.assertEqual(self.row("--count")[1], "size")

    def test_places_are_lines(self):
        self.assertEqual(self.rows["--on"].place, "a.py:22")

    def test_positionals_and_functions_left_out_are_no_options(self):
        self.assertNotIn("model", self.rows)
        self.assertNotIn("--hidden", self.rows)

    def test_what_is_not_read_is_told(self):
        self.assertEqual([(u.place, u.text) for u in self.reader.unread],
                         [("a.py:35", "name_of_it")])


class Factory(unittest.TestCase):
    """Classes that the argument factory of Megatron-LM turns into options."""
    TEXT = """
        import enum
        from dataclasses import dataclass, field
        from typing import Literal, Optional

        class Backend(enum.Enum):
            flash = 1
            fused = 2

        @dataclass
        class Parent:
            hidden_size: int = field(default=0, metadata={"argparse_meta": {"default": None}})
            depth: int = 2

        @dataclass
        class Config(Parent):
            depth: int = 4
            recipe: Optional[Literal["a", "b"]] = "a"
            backend: Backend = Backend.fused
            on: bool = False
            off: bool = True
            bias: bool = field(default=True, metadata={"argparse_meta": {"arg_names": ["--no-b"]}})
            names: list[str] | None = None
            ramp: list[int] | None = field(default=None, metadata={"argparse_meta": {"nargs": 3}})
            inner: int = field(init=False, default=1)
            secret: int = 0

        def add(parser):
            leave = ["secret"]
            ArgumentGroupFactory(Config, exclude=leave).build_group(parser)
            ArgumentGroupFactory(Elsewhere).build_group(parser)
    """

    def setUp(self):
        self.reader = parsers.ArgumentCalls(sources(a=self.TEXT), "a.py").read()
        self.rows = by_name(self.reader.rows)

    def test_fields_are_options(self):
        row = self.rows["--recipe"]
        self.assertEqual((row.kind, row.type, row.choices, row.default),
                         ("value", "str", ["a", "b"], "a"))
        self.assertEqual(self.rows["--backend"].choices, ["flash", "fused"])
        self.assertEqual(self.rows["--backend"].default, "fused")
        self.assertEqual(self.rows["--depth"].default, "4")
        self.assertEqual(self.rows["--hidden-size"].default, "")
        self.assertEqual(self.rows["--on"].kind, "switch")
        self.assertEqual(self.rows["--no-off"].names, ["--no-off", "--disable-off"])
        self.assertEqual(self.rows["--no-b"].kind, "switch")
        self.assertEqual((self.rows["--names"].kind, self.rows["--names"].type), ("list", "str"))
        self.assertEqual(self.rows["--ramp"].kind, "3 values")

    def test_excluded_and_inner_fields_are_none(self):
        self.assertNotIn("--secret", self.rows)
        self.assertNotIn("--inner", self.rows)

    def test_a_class_of_another_file_is_told(self):
        self.assertEqual([u.text for u in self.reader.unread], ["Elsewhere"])


class Kwargs(unittest.TestCase):
    """Calls that take what vLLM makes of a field."""
    TEXT = """
        class Parallel:
            size: int = 1
            eager: bool = False
            backend: Literal["ray", "mp"] | None = None
            kind: Literal["x", "y"] | str = "x"
            table: Inner = None
            ranks: list[int] = field(default_factory=list)
            max_model_len: int | None = None
            traces: list[Literal["a", "b"]] | None = None
            engine: Engine = None

        class Engine(Enum):
            one = 1

        @dataclass
        class Inner:
            a: int = 0

        def add(parser):
            kwargs = get_kwargs(Parallel)
            parser.add_argument("--size", "-s", **kwargs["size"])
            parser.add_argument("--eager", **kwargs["eager"])
            parser.add_argument("--backend", **{**kwargs["backend"], "default": None})
            kind = kwargs["kind"]
            parser.add_argument("--kind", **kind)
            parser.add_argument("--table", **kwargs["table"])
            parser.add_argument("--ranks", **kwargs["ranks"])
            parser.add_argument("--max-model-len", **kwargs["max_model_len"])
            kwargs["traces"]["choices"] += [",".join(p) for p in pairs()]
            parser.add_argument("--traces", **kwargs["traces"])
            parser.add_argument("--engine", **kwargs["engine"])
            for name, kind in [("--old-name", str), ("--old-size", int)]:
                parser.add_argument(name, type=kind)
            parser.add_argument("--gone", **kwargs["gone"])
    """

    def test_fields_are_options(self):
        reader = parsers.ArgumentCalls(sources(a=self.TEXT), "a.py").read()
        found = by_name(reader.rows)
        self.assertEqual(found["--size"].names, ["--size", "-s"])
        self.assertEqual(found["--eager"].kind, "switch")
        self.assertIn("--no-eager", found)
        self.assertEqual(found["--backend"].choices, ["ray", "mp", "None"])
        self.assertIsNone(found["--kind"].choices)
        self.assertEqual(found["--table"].type, "json")
        self.assertEqual((found["--ranks"].kind, found["--ranks"].type), ("list", "int"))
        self.assertEqual(found["--max-model-len"].type, "size")
        self.assertEqual((found["--traces"].kind, found["--traces"].choices), ("list", None))
        self.assertEqual((found["--engine"].type, found["--engine"].choices), ("str", None))
        self.assertEqual(found["--old-name"].type, "other")
        self.assertIn("--old-size", found)
        self.assertEqual([u.text for u in reader.unread], ["Parallel.gone"])


class Keys(unittest.TestCase):
    TEXT = """
        from core import Base as CoreBase

        class Device(str, Enum):
            cpu = "CPU"
            none = "nothing"

        class Base(CoreBase):
            share: float = Field(default=0.9, alias="fraction")

        class Outer:
            class Config:
                needed: int
                modes: Optional[Literal["a", "b"]] = None
                device: Device = Device.cpu
                below: Base = Field(default_factory=Base)
                either: Union[Base, str] = "x"
                open: dict[str, Any] = {}
                hidden: ClassVar[int] = 3
                _private: int = 1
                items: list[int] = field(default_factory=lambda: [1, 2])

                def to_cfg_dict(self):
                    for f in fields(self):
                        if f.name == "kept":
                            continue

                kept: int = 0
    """
    CORE = "class Base:\n    inherited: bool = True\n"

    def read(self, **more):
        made = sources(a=self.TEXT, core=self.CORE)
        reader = fields.Keys(made, **more)
        reader.read("", "Outer.Config")
        return by_name(reader.rows)

    def test_keys_are_dotted(self):
        found = self.read()
        self.assertEqual(found["needed"].kind, "key required")
        self.assertEqual((found["modes"].type, found["modes"].choices), ("str|null", ["a", "b"]))
        self.assertEqual(found["device"].choices, ["cpu", "none"])
        self.assertEqual(found["below"].type, "table")
        self.assertEqual(found["below.share"].names, ["below.share", "below.fraction"])
        self.assertEqual(found["below.share"].default, "0.9")
        self.assertEqual(found["below.inherited"].type, "bool")
        self.assertEqual(found["either"].type, "table|str")
        self.assertEqual(found["open"].type, "dict")
        self.assertEqual((found["items"].type, found["items"].default), ("list of int", "[1, 2]"))

    def test_what_is_no_key_is_left_out(self):
        found = self.read()
        for name in ("hidden", "_private", "kept"):
            self.assertNotIn(name, found)

    def test_enumerations_by_value_and_overrides(self):
        found = self.read(enums="values", optional=True, leaves=["below"])
        self.assertEqual(found["device"].choices, ["CPU", "nothing"])
        self.assertEqual(found["device"].default, "CPU")
        self.assertEqual(found["needed"].kind, "key")
        self.assertNotIn("below.share", found)


class Click(unittest.TestCase):
    TEXT = """
        @click.command("serve")
        @click.option("--tp_size", "--tensor", type=int, default=1)
        @click.option("--backend", type=click.Choice(["a", "b"]), default="a")
        @click.option("--other", type=ChoiceWithAlias(["a"], {"c": "a"}))
        @click.option("--on", is_flag=True)
        @click.option("--yes/--no", default=True)
        @click.option("--share", type=click.FloatRange(0, 1), required=True)
        @click.option("--set", multiple=True)
        @click.option(names(), type=int)
        def serve(): pass

        @click.option("--elsewhere")
        def other(): pass
    """

    def test_every_form_of_an_option(self):
        reader = parsers.ClickOptions(sources(a=self.TEXT), "a.py", ["serve"]).read()
        found = by_name(reader.rows)
        self.assertEqual(found["--tp_size"].names, ["--tp_size", "--tensor"])
        self.assertEqual(found["--backend"].choices, ["a", "b"])
        self.assertEqual(found["--other"].choices, ["a", "c"])
        self.assertEqual(found["--on"].kind, "switch")
        self.assertEqual([found["--yes"].kind, found["--no"].kind], ["switch", "switch"])
        self.assertEqual(found["--share"].kind, "value required")
        self.assertEqual(found["--share"].type, "float")
        self.assertEqual(found["--set"].kind, "repeated")
        self.assertNotIn("--elsewhere", found)
        self.assertEqual([u.text for u in reader.unread], ["names"])


class Tables(unittest.TestCase):
    """The program: from a repository at a commit to a table, and what it says of mistakes."""
    PLAN = """
        [toy]
        repository = "owner/toy"
        files = ["args.py", "config.py"]
        versions = { "1" = "first" }
        [[toy.part]]
        reader = "argparse"
        files = ["args.py"]
        [[toy.part]]
        reader = "constants"
        files = ["config.py"]
        roots = { "" = ["*"] }
        [[toy.part]]
        reader = "frontend"
        classes = ["Front"]
        [[toy.part]]
        reader = "compared"
        files = ["config.py"]
        [[toy.part]]
        reader = "dictionary"
        inside = "Drafts"
        name = "classes"
        key = "draft.kind"
        [[toy.part]]
        reader = "keys"
        roots = { "draft" = ["Drafts"] }
    """
    CONFIG = """
        STAGE = "stage"
        STAGE_DEFAULT = 1
        ALONE = "alone"
        class Drafts:
            size: int = 1
            def of(self):
                classes = {"a": A, "b": B}
        def read(arg):
            return arg.startswith("--module=")
        class Front:
            origins: list[str] = []
            middle: list[str] = []
            def customize(kwargs):
                kwargs["origins"]["type"] = json.loads
                del kwargs["origins"]["nargs"]
                kwargs["middle"]["action"] = "append"
    """

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        copy = self.root / "owner+toy"
        copy.mkdir()
        self.write("owner+toy/args.py", ARGUMENTS)
        self.write("owner+toy/config.py", self.CONFIG)
        self.write("plans.toml", self.PLAN)
        for arguments in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a",
                          "commit", "-q", "-m", "a", "--no-gpg-sign"], ["tag", "first"]):
            subprocess.run(["git", "-C", str(copy), *arguments], check=True)

    def write(self, name, text):
        (self.root / name).write_text(textwrap.dedent(text), encoding="utf-8")

    def run_program(self, *arguments):
        said, wrong = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            code = read_options.main([str(self.root), *arguments, "--plans",
                                      str(self.root / "plans.toml"), "--tables",
                                      str(self.root / "tables")])
        return code, said.getvalue(), wrong.getvalue()

    def test_a_table_is_written(self):
        code, said, wrong = self.run_program("toy", "1")
        self.assertEqual((code, wrong), (0, ""))
        self.assertIn("toy 1: 24 options, 1 calls not read\n", said)
        table = rows.read(self.root / "tables" / "toy@1.tsv")
        self.assertEqual((table.program, table.version), ("toy", "1"))
        self.assertEqual(table.header["source"], ["args.py", "config.py"])
        self.assertEqual(table.header["unread"], ["args.py:35 name_of_it"])
        self.assertEqual([r.names[0] for r in table.rows],
                         sorted(r.names[0] for r in table.rows))
        found = table.by_name()
        self.assertEqual(found["-t"].place, "1:19")
        self.assertEqual(found["stage"].default, "1")
        self.assertNotIn("alone", found)
        self.assertEqual(found["--module"].kind, "value")
        self.assertEqual((found["--origins"].kind, found["--origins"].type), ("value", "json"))
        self.assertEqual(found["--middle"].kind, "repeated")
        self.assertEqual(found["draft.kind"].choices, ["a", "b"])
        self.assertEqual(found["draft"].type, "table")

    def test_all_versions_and_one_by_its_commit(self):
        self.assertEqual(self.run_program("--all")[0], 0)
        self.assertEqual(self.run_program("toy", "2=HEAD")[0], 0)
        self.assertTrue((self.root / "tables" / "toy@2.tsv").is_file())

    def expect_error(self, arguments, message):
        code, _, wrong = self.run_program(*arguments)
        self.assertEqual(code, 1)
        self.assertIn(message, wrong)

    def test_mistakes_are_told(self):
        self.expect_error(["tory"], "no program 'tory' in plans.toml; known are toy")
        self.expect_error(["toy", "3"], "no version '3' of toy in plans.toml; known are 1; another "
                                        "is 3=REVISION")
        self.expect_error(["toy", "3=third"], "no revision 'third' of owner/toy; name a tag")

    def test_plans_that_do_not_fit_are_told(self):
        plan = textwrap.dedent(self.PLAN)
        for old, new, message in (
                ("owner/toy", "owner/none", "no copy of owner/none; fetch it there first"),
                ('["Drafts"]', '["Gone"]', "no class Gone in the files that were read"),
                ('["Front"]', '["Back"]', "no class Back in the files that were read"),
                ('files = ["args.py"]', 'files = ["gone.py"]', "no file gone.py at this commit"),
                ('versions', 'submodules = { "below" = "owner/toy" }\nversions',
                 "below is no submodule; correct 'submodules'")):
            self.write("plans.toml", plan.replace(old, new))
            self.expect_error(["toy", "1"], message)
        self.write("plans.toml", plan[:plan.index("[[toy.part]]")] + '[[toy.part]]\nreader = '
                   '"argparse"\nfiles = ["config.py"]\n')
        self.expect_error(["toy", "1"], "toy 1: no option was found")


if __name__ == "__main__":
    unittest.main()
