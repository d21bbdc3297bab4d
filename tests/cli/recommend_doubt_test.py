"""How `recommend` answers questions of models with experts, most of whose layouts were measured
nowhere: in which manner, not with which figures.

    recommend_doubt_test.py SCALESWEEP
"""
import csv
import io
import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = sys.argv[1]
SHARED = 0.65  # of the variance of an error, in common
AS_WIDE = 1.2
QUESTIONS = """
--model qwen3-235b-a22b --device h100 --devices 256 --global-batch 2048 --precision fp8
--model qwen3-235b-a22b --device h100 --devices 256 --global-batch 2048
--model qwen3-235b-a22b --device gb200 --devices 256 --global-batch 2048 --precision mxfp8
--model qwen3-235b-a22b --device b200 --devices 64 --global-batch 2048 --precision mxfp8
--model qwen3-30b-a3b --device b200 --devices 8 --global-batch 512 --precision mxfp8
--model qwen3-30b-a3b --device gb300 --devices 8 --global-batch 512 --precision mxfp8
--model qwen3-30b-a3b --device h100 --devices 16 --global-batch 512 --precision fp8
--model deepseek-v3 --device b300 --devices 256 --global-batch 2048 --precision mxfp8
--model deepseek-v3 --device h100 --devices 1024 --global-batch 8192
--model deepseek-v3 --device gb200 --devices 256 --global-batch 2048 --precision mxfp8
--model deepseek-v3 --device gb200 --devices 256 --global-batch 2048
--model glm-4.5 --device h100 --devices 256 --global-batch 2048
--model kimi-k2 --device h100 --devices 1024 --global-batch 8192
"""


def run(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True,
                          text=True).stdout


def are_alike(a, b):
    bar = math.sqrt(2 * (1 - SHARED)) * max(a["relative_uncertainty"], b["relative_uncertainty"])
    return abs(math.log(a["step_time"] / b["step_time"])) <= bar


class Layouts:
    """The answer to a question, and all feasible layouts behind it, by id."""

    def __init__(self, question, folder):
        file = Path(folder) / "study.h5"
        self.answer = json.loads(run("recommend", "--train", "--sequence", 4096, "--framework",
                                     "megatron-bridge", *question.split(), "-o", file,
                                     "--format", "json"))
        self.verdict = self.answer["verdict"]
        rows = csv.DictReader(io.StringIO(run(
            "query", file, "--select", "point_id,step_time,relative_uncertainty", "--format",
            "csv")))
        self.rows = {int(row["point_id"]): {name: float(row[name]) for name in row}
                     for row in rows}
        self.best = min(self.rows.values(), key=lambda row: (row["step_time"], row["point_id"]))
        self.taken = self.rows[self.verdict["point_id"]]


class Doubt(unittest.TestCase):
    def check(self, question):
        with tempfile.TemporaryDirectory() as folder:
            found = Layouts(question, folder)
        taken, best = found.taken, found.best
        self.assertTrue(are_alike(taken, best))
        for row in found.rows.values():
            self.assertFalse(1.0001 * AS_WIDE * row["relative_uncertainty"] <
                             taken["relative_uncertainty"] and
                             are_alike(row, taken) and are_alike(row, best))
        self.assertEqual(found.verdict["layouts_not_told_apart"],
                         sum(are_alike(row, taken) for row in found.rows.values()) - 1)
        shown = [layout["point_id"] for layout in found.answer["layouts"]]
        self.assertEqual(shown[0], taken["point_id"])
        other = found.verdict.get("best_by_estimate")
        self.assertEqual(other is not None,
                         taken["relative_uncertainty"] * AS_WIDE < best["relative_uncertainty"])
        if other is None:
            self.assertLessEqual(taken["step_time"] / best["step_time"], 1.01)
        else:
            self.assertEqual(other["point_id"], best["point_id"])
            self.assertIn(other["point_id"], shown)
            self.assertAlmostEqual(other["relative_uncertainty"], best["relative_uncertainty"],
                                   places=6)
        return other is not None

    def test_questions(self):
        gave_way = 0
        for question in QUESTIONS.strip().splitlines():
            with self.subTest(question):
                gave_way += self.check(question)
        self.assertGreaterEqual(gave_way, 3)  # else nothing was tried here

    def test_people_are_told_both(self):
        said = run("recommend", "--train", "--model", "qwen3-30b-a3b", "--device", "b200",
                   "--devices", 8, "--sequence", 4096, "--global-batch", 512, "--precision",
                   "mxfp8", "--framework", "megatron-bridge")
        words = " ".join(said.split())
        self.assertIn("better known than the best by estimate", words)
        self.assertIn("if it is as good as estimated", words)
        self.assertIn("feasible layouts cannot be told apart from the proposed one", words)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
