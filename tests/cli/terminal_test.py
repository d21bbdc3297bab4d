#!/usr/bin/env python3
"""What commands print in a terminal: no line is wider than it, and no word is broken.

    SCALESWEEP=.../scalesweep SCALESWEEP_SOURCE_DIR=... terminal_test.py
"""
import fcntl
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

PROGRAM = os.environ["SCALESWEEP"]
SOURCE = Path(os.environ["SCALESWEEP_SOURCE_DIR"])
WIDE = 4000
SPEC = """schema = 1
title = "A study of a second"
[workload]
kind = "training"
model = "llama-3-70b"
sequence = 8192
global_batch = 256
[system]
accelerators = 512
logic = ["N5", "N3"]
memory = ["HBM3E", "HBM4"]
scale_up = { link = "NVLink4", domain = 8 }
scale_out = ["NDRx2", "NDRx8"]
device = { template = "tensor-core-gpu", die_area = "826 mm2", power = "700 W", stacks = 6 }
[strategy]
tensor_parallel = [4, 8]
pipeline_parallel = [1, 2, 4]
micro_batch = [1, 2]
recompute = "none"
zero = 1
sequence_parallel = true
[objectives]
minimize = ["cost_per_million_tokens", "step_time"]
"""


def written(columns, *arguments, variables=None):
    """What a terminal of so many columns is sent, both streams together."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ.pop("COLUMNS", None)
        os.environ.update(variables or {})
        sys.stdin.readline()  # until the terminal has its width
        os.execvp(PROGRAM, [PROGRAM, *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    settings = termios.tcgetattr(terminal)
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
    os.write(terminal, b"\n")
    said = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.waitpid(child, 0)
    os.close(terminal)
    return said


def shown(columns, *arguments, variables=None):
    """The lines that it shows then."""
    said = written(columns, *arguments, variables=variables)
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())
    return [line.split("\r")[-1] for line in text.replace("\r\n", "\n").split("\n")]


def words_of(lines):
    return set(re.split(r"[\s]+", "\n".join(lines)))


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp(prefix="scalesweep-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        cls.spec = cls.folder / "spec.toml"
        cls.spec.write_text(SPEC)
        cls.other_spec = cls.folder / "other.toml"
        cls.other_spec.write_text(SPEC.replace("700 W", "600 W"))
        for spec, name in ((cls.spec, "a.h5"), (cls.other_spec, "b.h5")):
            subprocess.run([PROGRAM, "run", spec, "-o", cls.folder / name, "--quiet"], check=True)

    def commands(self):
        study, other = str(self.folder / "a.h5"), str(self.folder / "b.h5")
        folder = str(self.folder / "answers")
        selected = ("point_id,logic,memory,step_time,energy_per_token,cost_per_million_tokens,"
                    "tokens_per_second,relative_uncertainty,strategy")
        return (
            ("query", study), ("query", study, "--frontier"),
            ("query", study, "--best", "step_time", "--per", "logic,memory"),
            ("query", study, "--select", selected), ("query", study, "--select", selected,
                                                     "--limit", "1"),
            ("query", study, "--pivot", "logic,memory", "--value", "step_time"),
            ("query", study, "--sort", "-energy_per_token", "--all-statuses"),
            ("analyze", study, "--no-figures", "-o", folder), ("diff", study, other),
            ("status", study), ("plan", str(self.spec)), ("check", str(self.spec)),
            ("validate", str(SOURCE / "tests/validation/megatron_cases.csv")),
            ("explain", study, "--point", "0"),
            ("explain", study, "--point", "0", "--against", "9"),
            ("launch", study, "--point", "0", "--for", "megatron-lm"),
            ("catalog", "list"), ("catalog", "list", "--kind", "devices"),
            ("catalog", "show", "h100-sxm"), ("catalog", "show", "deepseek-v3"),
            ("catalog", "diff", study), ("catalog", "derive", "--like", "h100-sxm"),
            ("catalog", "compare"), ("query", study, "--where", "no_such_column > 3"),
        )

    def test_no_line_is_wider_and_no_word_is_broken(self):
        ours = {"left", "out:", "row", "--select", "chooses", "columns;"}
        for command in self.commands():
            whole = words_of(shown(WIDE, *command))
            for columns in (80, 160):
                lines = shown(columns, *command)
                with self.subTest(command=command, columns=columns):
                    # A word that is longer than the terminal has to be: a path, say.
                    self.assertEqual([], [line for line in lines if len(line) > columns and
                                          max(map(len, line.split())) + 8 < columns])
                    pieces = {word for word in words_of(lines) - whole - ours
                              if any(len(word) < len(other) and word in other and
                                     not other.startswith(word + ",") for other in whole)}
                    self.assertEqual(set(), {word for word in pieces if "_" in word})

    def test_texts_of_others_do_not_reach_the_terminal(self):
        hostile = self.folder / "hostile.toml"
        hostile.write_text(SPEC.replace("A study of a second",
                                        r"T\u001b[31mRED\u001b]0;x\u0007 \u009b\u202e"))
        study = str(self.folder / "hostile.h5")
        for command in (("run", str(hostile), "-o", study), ("status", study),
                        ("analyze", study, "--no-figures", "-o", str(self.folder / "told")),
                        ("query", study, "--format", "csv", "--limit", "1"),
                        ("status", str(self.folder / "no\x1b-file.h5"))):
            with self.subTest(command=command[0]):
                said = written(100, *command).replace(b"\r", b"")
                self.assertIsNone(re.search(
                    rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae", said), said)
        self.assertIn(rb"T\u001b[31mRED", written(100, "status", study))

    def test_objectives_are_the_last_to_go(self):
        study = str(self.folder / "a.h5")
        best = ("query", study, "--best", "step_time", "--per", "logic,memory")
        whole = "\n".join(shown(160, *best))
        self.assertRegex(whole, r" point_id .* cost_per_million_tokens  strategy\n")
        text = "\n".join(shown(80, *best))
        self.assertRegex(text, r"logic +memory .*step_time +cost_per_million_tokens\n")
        self.assertRegex(text, r"left out: point_id, strategy; --select chooses columns;")
        narrow = "\n".join(shown(40, "query", study, "--limit", "0"))
        self.assertRegex(narrow, r"step_time +cost_per_million_tokens\n")
        self.assertIn("left out: point_id, logic,", narrow)

    def test_what_is_selected_is_all_there(self):
        study = str(self.folder / "a.h5")
        text = "\n".join(shown(60, "query", study, "--limit", "2", "--select",
                               "point_id,logic,memory,step_time,energy_per_token,strategy"))
        for name in ("point_id", "logic", "memory", "step_time", "energy_per_token", "strategy"):
            self.assertIn(name, text)
        self.assertNotIn("left out", text)

    def test_columns_of_the_environment_count(self):
        study = str(self.folder / "a.h5")
        lines = shown(160, "query", study, "--limit", "2", variables={"COLUMNS": "60"})
        self.assertIn("  left out: ", "\n".join(lines))
        self.assertLessEqual(max(len(line) for line in lines if "left out" in line), 60)

    def test_without_a_terminal_rows_are_as_wide_as_they_get(self):
        said = subprocess.run([PROGRAM, "query", self.folder / "a.h5", "--limit", "1"],
                              capture_output=True, text=True, check=True).stdout
        self.assertIn("strategy\n", said)
        self.assertNotIn("left out", said)


if __name__ == "__main__":
    unittest.main()
