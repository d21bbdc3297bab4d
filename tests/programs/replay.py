#!/usr/bin/env python3
"""Holds what `scalesweep launch` prints against tables of options of real programs.

    replay.py TABLE [TABLE ...] [--launch FILE]

TABLE is a file of tables/ or its name without .tsv (vllm@0.11). FILE is what launch printed
(default: standard input). One line for each option that the program of the table refuses, with
place, problem and way out. Exit code 0: none; 1: some; 2: nothing could be held against a table.
"""
import argparse
import difflib
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import documents  # noqa: E402
import launched  # noqa: E402
import options  # noqa: E402
from reading import rows  # noqa: E402

HERE = Path(__file__).resolve().parent


@dataclass
class Form:
    """How a program is started in a launch."""
    starts: tuple = ()       # words of its command, options stand behind
    documents: tuple = ()    # names of files with its keys
    positional: int = 0      # words that are no options
    keys_as_options: bool = False  # --section.key of the file
    overrides: bool = False  # section.key=value
    dashes: bool = False     # _ in an option is -
    any_case: bool = False   # of words of choices in files
    other_commands: tuple = ()  # first words of commands that the table is not of


FORMS = {
    "megatron-lm": Form(starts=(("pretrain_gpt.py",),)),
    "megatron-bridge": Form(starts=(("$RECIPE",),), overrides=True),
    "torchtitan": Form(starts=(("-m", "torchtitan.train"),), documents=("train.toml", "train.py"),
                       keys_as_options=True),
    "nanotron": Form(documents=("train.yaml",), any_case=True),
    "megatron-deepspeed": Form(starts=(("pretrain_gpt.py",),)),
    "deepspeed": Form(documents=("deepspeed.json",)),
    "vllm": Form(starts=(("vllm", "serve"),), positional=1, dashes=True),
    "sglang": Form(starts=(("-m", "sglang.launch_server"),)),
    "maxtext": Form(starts=(("-m", "maxtext.trainers.pre_train.train"),), positional=1,
                    overrides=True),
    "tensorrt-llm": Form(starts=(("trtllm-serve",),), positional=1,
                         other_commands=("disaggregated",),
                         documents=("serve.yaml", "prefill.yaml", "decode.yaml")),
}


class Refusal:
    """What a program refuses: a kind for counting, and a message."""

    def __init__(self, place, kind, name, problem, way_out):
        self.place = place
        self.kind = kind
        self.name = name
        self.problem = problem
        self.way_out = way_out

    def __str__(self):
        return f"{self.place}: {self.problem}; {self.way_out}"


class Replay:
    """One launch held against one table."""

    def __init__(self, table, form):
        self.table = table
        self.form = form
        self.known = table.by_name()
        self.refusals = []
        self.held = 0  # commands and documents that were found

    def what(self):
        return f"{self.table.program} {self.table.version}"

    def refuse(self, place, kind, name, problem, way_out):
        self.refusals.append(Refusal(place, kind, name, problem, way_out))

    def refuse_unknown(self, place, name):
        near = difflib.get_close_matches(name, self.known, 1, 0.75)
        way = f"the nearest is '{near[0]}'" if near else "leave it out"
        self.refuse(place, "unknown", name, f"{self.what()} has no option '{name}'", way)

    def run(self, name, text):
        for each in launched.texts(name, text):
            file = each.name.rpartition("/")[2]
            if file in self.form.documents:
                self.held += 1
                documents.hold(self, each.name, each.text())
                continue
            for words in launched.commands(each, self.form.starts):
                if words and words[0].text in self.form.other_commands:
                    continue
                self.held += 1
                if self.form.overrides:
                    options.hold_overrides(self, words)
                else:
                    options.hold(self, words)
        return self


def table_named(name):
    path = Path(name)
    if not path.is_file():
        path = HERE / "tables" / f"{name}.tsv"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in (HERE / "tables").glob("*.tsv")))
        raise rows.BadTable(f"no table '{name}'; known are {known}; read_options.py makes others")
    return rows.read(path)


def replay(table, text):
    form = FORMS.get(table.program)
    if form is None:
        raise rows.BadTable(f"table of '{table.program}', whose commands are not known; known are "
                            + ", ".join(FORMS))
    return Replay(table, form).run("command", text)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--launch", type=Path)
    given = parser.parse_args(arguments)
    try:
        text = given.launch.read_text(encoding="utf-8") if given.launch else sys.stdin.read()
        found = [replay(table_named(name), text) for name in given.tables]
    except (OSError, rows.BadTable, launched.Unclosed) as problem:
        print(f"replay.py: error: {problem}", file=sys.stderr)
        return 2
    for each in found:
        if not each.held:
            print(f"replay.py: error: {given.launch or 'standard input'}: no command and no file "
                  f"of {each.table.program}; give what `scalesweep launch --for "
                  f"{each.table.program}` prints", file=sys.stderr)
            return 2
    refusals = [refusal for each in found for refusal in each.refusals]
    for refusal in refusals:
        print(refusal)
    return 1 if refusals else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
