#!/usr/bin/env python3
"""Gives printed commands to the parser and validation of Megatron-LM, or Megatron-DeepSpeed.

    execute_megatron.py CHECKOUT KEPT [--target megatron-lm]

CHECKOUT has the folder megatron/ of the version; what it imports besides is replaced by stubs.
KEPT is a folder that launches.py --keep wrote. Of each launch of the target the commands are
parsed, validated and made the configuration of the model, with the number of processes and the
environment that stand in it, and a device of the kind of its spec. Printed is what stops them.
"""
import argparse
import collections
import contextlib
import importlib
import io
import os
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import launched  # noqa: E402
import stubs  # noqa: E402

NEWER = re.compile(r'device = "(b200|gb200|b300|gb300)')
EXPORT = re.compile(r"^(?:export )?([A-Z][A-Z0-9_]*)=([\w.,-]*)$")


def prepare(checkout):
    """Stubs for what is not there, and the module that parses."""
    core = "megatron.core.transformer.transformer_config"
    given = {"TransformerConfig": core, "MLATransformerConfig": core,
             "ModelParallelConfig": "megatron.core.model_parallel_config"}
    sys.path.insert(0, str(checkout))
    sys.meta_path.insert(0, stubs.Packages(str(checkout), "megatron",
                                           ["megatron.training.config", "megatron.training.utils"],
                                           given))
    sys.meta_path.append(stubs.Absent())
    torch = importlib.import_module("torch")
    importlib.import_module("torch.cuda")
    importlib.import_module("torch.distributed")
    torch.distributed.is_initialized = lambda: False
    torch.dtype = type("dtype", (), {})
    for name in ("float", "float32", "half", "float16", "bfloat16", "int32", "int64", "uint8"):
        setattr(torch, name, torch.dtype())
    torch.float, torch.half = torch.float32, torch.float16
    if (checkout / "megatron" / "training" / "arguments.py").is_file():
        return importlib.import_module("megatron.training.arguments")
    deepspeed = importlib.import_module("deepspeed")
    deepspeed.add_config_arguments = add_deepspeed
    deepspeed.accelerator.get_accelerator().device_name.return_value = "cuda"
    return importlib.import_module("megatron.arguments")


def add_deepspeed(parser):
    """The options that DeepSpeed adds to a parser (deepspeed/__init__.py, 0.19.5)."""
    for switch in ("--deepspeed", "--deepscale"):
        parser.add_argument(switch, action="store_true")
        parser.add_argument(switch + "_config")
    return parser


def pretend(major):
    """A device of that generation."""
    torch = importlib.import_module("torch")
    torch.cuda.get_device_capability = lambda *a: (major, 0)
    properties = type("Properties", (), {"major": major, "minor": 0})
    torch.cuda.get_device_properties = lambda *a: properties


def processes(words):
    """Of torchrun: servers times processes of each."""
    texts = [word.text for word in words]
    count = 1
    for option in ("--nnodes", "--nproc_per_node"):
        if option in texts:
            count *= int(texts[texts.index(option) + 1])
    return count


def commands(text):
    """(arguments, processes, environment) of each command of a launch."""
    found = []
    for each in launched.texts("command", text):
        environment = {}
        for _, line in each.lines:
            for word in line.split():
                match = EXPORT.match(word)
                if match:
                    environment[match[1]] = match[2]
        starts = launched.commands(each, (("torchrun",),))
        arguments = launched.commands(each, (("pretrain_gpt.py",),))
        found += [([w.text for w in a], processes(s), environment)
                  for s, a in zip(starts, arguments)]
    return found


def stopped(module, arguments, count, environment):
    """What stops the program: "" nothing, else the first line of it."""
    kept = dict(os.environ)
    os.environ.update(environment, WORLD_SIZE=str(count), RANK="0", LOCAL_RANK="0")
    sys.argv = ["pretrain_gpt.py", *arguments]
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            args = module.parse_args()
            if hasattr(module, "validate_args"):
                module.validate_args(args, {"tokenizer_type": "GPT2BPETokenizer"})
            if hasattr(module, "core_transformer_config_from_args"):
                module.core_transformer_config_from_args(args)
    except SystemExit:
        return "parser: " + said.getvalue().strip().splitlines()[-1].partition("error: ")[2]
    except Exception as problem:  # whatever the program raises is the answer
        where = problem.__traceback__
        while where.tb_next:
            where = where.tb_next
        place = f"{Path(where.tb_frame.f_code.co_filename).name}:{where.tb_lineno}"
        return f"{type(problem).__name__} at {place}: {' '.join(str(problem).split())[:160]}"
    finally:
        os.environ.clear()
        os.environ.update(kept)
    return ""


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--target", default="megatron-lm@*", help="with its version")
    given = parser.parse_args(arguments)
    if not (given.checkout / "megatron").is_dir():
        print(f"execute_megatron.py: error: {given.checkout}: no folder megatron/; give a checkout",
              file=sys.stderr)
        return 2
    module = prepare(given.checkout.resolve())
    launches, stops = 0, collections.Counter()
    for path in sorted(given.kept.glob(f"*-{given.target}.txt")):
        pretend(10 if NEWER.search(path.with_suffix(".toml").read_text()) else 9)
        found = commands(path.read_text())
        if not found:
            continue
        launches += 1
        reasons = [reason for each in found if (reason := stopped(module, *each))]
        if reasons:
            stops[reasons[0]] += 1
            print(f"{path.name}: {reasons[0]}")
    print(f"\n{launches} launches, {launches - sum(stops.values())} pass")
    for reason, count in stops.most_common():
        print(f"{count:5} {reason}")
    return 0 if launches else 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
