#!/usr/bin/env python3
"""Launches given to a parser and a validation of a program, here to small ones of our own."""
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ARGUMENTS = """
    import argparse
    import os
    import not_installed
    import torch
    import torch.nn.functional as F
    from megatron.core.transformer import TransformerConfig
    from megatron.core.extensions import Anything
    from not_installed.below import something

    class Layer(torch.nn.Module, TransformerConfig):
        pass

    @torch.jit.script
    def fused(x):
        return x

    def parse_args(extra_args_provider=None):
        parser = argparse.ArgumentParser(allow_abbrev=False)
        parser.add_argument("--size", type=int, default=1)
        parser.add_argument("--kind", choices=["a", "b"])
        args = parser.parse_args()
        args.world_size = int(os.getenv("WORLD_SIZE", "1"))
        return args

    def validate_args(args, defaults={}):
        assert isinstance(torch.float16, torch.dtype)
        assert args.world_size % args.size == 0, "size must divide the world"
        if args.size > 1 and torch.cuda.get_device_capability()[0] < 10:
            assert os.environ.get("MAX") == "1", "MAX must be 1"

    def core_transformer_config_from_args(args):
        return TransformerConfig(args.size)
"""
CONFIG = """
    class TransformerConfig:
        def __init__(self, size):
            if size == 4:
                raise ValueError("no four")
"""


class Executed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name, text in (("training/arguments.py", ARGUMENTS), ("__init__.py", "import gone\n"),
                           ("core/__init__.py", "raise RuntimeError\n"),
                           ("core/transformer/transformer_config.py", CONFIG)):
            path = self.root / "checkout" / "megatron" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        (self.root / "kept").mkdir()

    def launch(self, number, words, device="h100-sxm", before=""):
        stem = self.root / "kept" / f"{number:04}-megatron-lm@1"
        stem.with_suffix(".toml").write_text(f'device = "{device}"\n', encoding="utf-8")
        stem.with_suffix(".txt").write_text(
            f"cat > train.sbatch <<'END_OF_FILE'\n{before}srun torchrun --nnodes 2 "
            f"--nproc_per_node 4 \\\n  pretrain_gpt.py \\\n  {words}\nEND_OF_FILE\n\nsbatch "
            "train.sbatch\n", encoding="utf-8")

    def run_program(self, checkout="checkout"):
        done = subprocess.run(
            [sys.executable, "-B", str(HERE / "execute_megatron.py"), str(self.root / checkout),
             str(self.root / "kept")], capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    def test_what_stops_launches_is_counted(self):
        self.launch(0, "--size 2", before="export MAX=1\n")
        self.launch(1, "--size 2")
        self.launch(2, "--size 2", device="b200-sxm")
        self.launch(3, "--size 3", before="export MAX=1\n")
        self.launch(4, "--kind c")
        self.launch(5, "--size 4", before="export MAX=1\n")
        self.launch(6, "--colour 1")
        code, said, wrong = self.run_program()
        self.assertEqual((code, wrong), (0, ""))
        self.assertIn("7 launches, 2 pass\n", said)
        for line in (r"0001-megatron-lm@1.txt: AssertionError at arguments.py:\d+: MAX must be 1\n",
                     r"0003-\S+: AssertionError at arguments.py:\d+: size must divide the world\n",
                     r"0004-\S+: parser: argument --kind: invalid choice: 'c'",
                     r"0005-\S+: ValueError at transformer_config.py:5: no four\n",
                     r"0006-\S+: parser: unrecognized arguments: --colour 1\n"):
            self.assertRegex(said, line)

    def test_no_checkout_and_no_launches_are_told(self):
        code, _, wrong = self.run_program("kept")
        self.assertEqual(code, 2)
        self.assertIn("kept: no folder megatron/; give a checkout", wrong)
        code, said, _ = self.run_program()
        self.assertEqual(code, 2)
        self.assertIn("0 launches, 0 pass\n", said)


if __name__ == "__main__":
    unittest.main()
