#!/usr/bin/env python3
"""Truncated, corrupted and foreign files given to every subcommand: an error that names the file,
or the right answer; never a crash, never another answer, and the file stays as it is.

    SCALESWEEP=.../scalesweep damage_test.py

SCALESWEEP_DAMAGES sets how many random damages each case tries (default 12, 2 with sanitizers, and
half of the foreign files), SCALESWEEP_SEED which.
"""
import os
import random
import shutil
import subprocess
import unittest
from pathlib import Path

from fault_study import BAD_INPUT, CANNOT_CREATE, IO, NO_INPUT, OK, RESUMABLE, FaultTest, call
from byte_damages import (cut, flip_many, flip_one, noise_block, swap_blocks, swap_bytes,
                          zero_block)
from second_of_work import fewer_chunks

SLOW = bool(os.environ.get("SCALESWEEP_SLOW_BUILD"))
DAMAGES = int(os.environ.get("SCALESWEEP_DAMAGES", "2" if SLOW else "12"))
SEED = int(os.environ.get("SCALESWEEP_SEED", "1"))

# In an order that lets the few that are tried with sanitizers be of different kinds. A file that
# grew is left to damage_table.py: `status` rightly says another size.
DAMAGES_IN_TURN = (cut, flip_one, noise_block, flip_many, zero_block, swap_blocks, swap_bytes)

FOREIGN = {
    "empty": b"",
    "text": b"these are my notes\n" * 200,
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 16,
    "zeros": bytes(65536),
    "hdf5 signature alone": b"\x89HDF\r\n\x1a\n",
    "hdf5 signature and noise": b"\x89HDF\r\n\x1a\n" + random.Random(5).randbytes(8192),
}
if SLOW:
    FOREIGN = dict(list(FOREIGN.items())[1::2])


class DamageTest(FaultTest):
    def setUp(self):
        super().setUp()
        # A few chunks are enough, and many programs are started.
        self.spec.write_text(fewer_chunks(self.spec.read_text()))

    def damages(self, data):
        """Copies of `data`, each damaged in another way: always the same ones."""
        chance = random.Random(SEED)
        for number in range(DAMAGES):
            kind = DAMAGES_IN_TURN[number % len(DAMAGES_IN_TURN)]
            damaged = bytearray(data)
            kind(damaged, 0, len(data), chance)
            yield f"{kind.__name__} {number}", bytes(damaged)
        yield from FOREIGN.items()

    def expect_refused(self, done, name, codes):
        """Failed in the way that is documented, with one error that names the file."""
        self.assertIn(done.returncode, codes, f"{done.args}\n{done.stdout}\n{done.stderr}")
        self.assertIn("error", done.stderr)
        self.assertIn(str(name), done.stderr)

    def expect_answer_or_refusal(self, done, right, name, codes):
        if done.returncode == OK:
            self.assertEqual(done.stdout, right.stdout)
        else:
            self.expect_refused(done, name, codes)


class FinishedFile(DamageTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "a.h5"
        shutil.copy(self.undisturbed(), self.file)
        self.data = self.file.read_bytes()

    def through(self, codes, *words):
        right = self.expect(call(*words), OK)
        for what, data in self.damages(self.data):
            with self.subTest(words[0], damage=what, seed=SEED):
                self.file.write_bytes(data)
                done = call(*words)
                self.expect_answer_or_refusal(done, right, self.file, codes)
                self.assertEqual(self.file.read_bytes(), data, "the file was changed")

    def test_status(self):
        self.through((BAD_INPUT,), "status", self.file)

    def test_merge(self):
        self.through((BAD_INPUT,), "merge", self.file)

    def test_analyze(self):
        folder = self.folder / "tables"
        self.through((BAD_INPUT, IO), "analyze", self.file, "-o", folder, "--no-figures")

    def test_run_leaves_it(self):
        self.through((CANNOT_CREATE, BAD_INPUT), "run", self.spec, "-o", self.file)

    def test_a_folder_in_its_place(self):
        self.file.unlink()
        self.file.mkdir()
        self.expect_refused(call("run", self.spec, "-o", self.file), self.file, (CANNOT_CREATE,))
        for words in (("status", self.file), ("merge", self.file), ("analyze", self.file)):
            self.expect_refused(call(*words), self.file, (BAD_INPUT, NO_INPUT))


class Segments(DamageTest):
    def setUp(self):
        super().setUp()
        self.compute_as_shards()
        self.segments = sorted(path.name for path in self.parts.glob("0*.h5"))

    def damaged(self):
        chance = random.Random(SEED + 1)
        for what, data in self.damages(
                (self.intact / chance.choice(self.segments)).read_bytes()):
            self.restore_shards()
            victim = self.parts / chance.choice(self.segments)
            victim.write_bytes(data)
            yield what, victim

    def test_run_computes_them_again(self):
        for what, victim in self.damaged():
            with self.subTest(damage=what, seed=SEED, victim=victim.name):
                self.expect(call("run", self.spec, "-o", self.output, "-q"), OK)
                self.expect_equal(self.output)

    def test_merge_says_what_is_missing_and_run_mends_it(self):
        for what, victim in self.damaged():
            with self.subTest(damage=what, seed=SEED, victim=victim.name):
                done = call("merge", self.output)
                if done.returncode != OK:
                    self.expect_refused(done, "", (RESUMABLE, IO))
                    self.assertFalse(self.output.exists())
                    self.expect(call("status", "--exit-code", self.output), RESUMABLE)
                    self.expect(call("run", self.spec, "-o", self.output, "-q"), OK)
                self.expect_equal(self.output)

    def test_description_is_not_trusted(self):
        description = self.parts / "study.json"
        right = description.read_bytes()
        for what, data in self.damages(right):
            with self.subTest(damage=what, seed=SEED):
                self.restore_shards()
                description.write_bytes(data)
                done = call("run", self.spec, "-o", self.output, "-q")
                if done.returncode == OK:
                    self.expect_equal(self.output)
                else:
                    self.expect_refused(done, description.parent, (CANNOT_CREATE,))
                    self.assertEqual(description.read_bytes(), data)
                    self.assertTrue(all((self.parts / name).exists() for name in self.segments))
                for word in ("status", "merge"):
                    self.assertIn(call(word, self.output).returncode,
                                  (OK, BAD_INPUT, NO_INPUT, IO, RESUMABLE))


class Texts(DamageTest):
    def test_specs(self):
        for what, data in self.damages(self.spec.read_bytes()):
            with self.subTest(damage=what, seed=SEED):
                self.spec.write_bytes(data)
                for words in (("check", self.spec), ("plan", self.spec),
                              ("explain", self.spec, "--point", "0"),
                              ("run", self.spec, "-o", self.folder / "out.h5", "--keep",
                               "best=1", "-q")):
                    done = call(*words)
                    if done.returncode != OK:
                        self.expect_refused(done, self.spec, (BAD_INPUT, NO_INPUT))
                    (self.folder / "out.h5").unlink(missing_ok=True)

    def test_measured_cases(self):
        cases = Path(os.environ["SCALESWEEP_SOURCE_DIR"]) / "tests/validation/nvidia-megatron.csv"
        file = self.folder / "cases.csv"
        for what, data in self.damages(cases.read_bytes()):
            with self.subTest(damage=what, seed=SEED):
                file.write_bytes(data)
                done = call("validate", file)
                if done.returncode != OK:
                    self.expect_refused(done, file, (BAD_INPUT, NO_INPUT))

    def test_catalogs(self):
        nodes = self.folder / "nodes"
        source = Path(os.environ["SCALESWEEP_SOURCE_DIR"]) / "nodes"
        shutil.copytree(source, nodes)
        file = nodes / "models-llama.toml"
        right = file.read_bytes()
        for what, data in self.damages(right):
            with self.subTest(damage=what, seed=SEED):
                file.write_bytes(data)
                done = call("check", self.spec, "--catalog", nodes)
                if done.returncode != OK:
                    self.expect_refused(done, "", (BAD_INPUT, NO_INPUT))


if __name__ == "__main__":
    unittest.main()
