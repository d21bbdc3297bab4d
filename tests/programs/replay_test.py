#!/usr/bin/env python3
"""Good commands pass, and of bad ones each mistake is told with place, problem and way out."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import launches
import replay
import specs
from reading import rows

HEADING = "names\tkind\ttype\tchoices\tdefault\tplace\n"
VLLM = "# program\tvllm\n# version\ttoy\n" + HEADING + """\
--again\trepeated\tstr
--backend\tvalue\tstr\tray|mp
--config\tvalue\tjson
--config.kind\tkey\tstr|null\ta|b
--config.open\tkey\tdict
--flag\tswitch
--length\tvalue\tsize
--maybe\toptional\tstr
--range\t2 values\tint
--ranks\tlist\tint
--share\tvalue\tfloat
--size -s\tvalue\tint
--yes\tvalue\tbool
"""
FILES = """\
a\tkey\ttable
a.any\tkey\tdtype|null
a.choice\tkey\tenum|null\tONE|TWO
a.float\tkey\tfloat
a.int\tkey\tint|null
a.items\tkey\tlist of int
a.is_on\tkey\tbool
open\tkey\tdict
"""
NANOTRON = "# program\tnanotron\n# version\ttoy\n" + HEADING + FILES
TORCHTITAN = "# program\ttorchtitan\n# version\ttoy\n" + HEADING + FILES
DEEPSPEED = "# program\tdeepspeed\n# version\ttoy\n" + HEADING + FILES
BRIDGE = "# program\tmegatron-bridge\n# version\ttoy\n" + HEADING + FILES
SGLANG = "# program\tsglang\n# version\ttoy\n" + HEADING + "--model-path\tvalue required\tstr\n"


class Launches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def table(self, text):
        path = self.root / "table.tsv"
        path.write_text(text, encoding="utf-8")
        return path

    def told(self, table, launch):
        found = replay.replay(rows.read(self.table(table)), launch)
        self.assertGreater(found.held, 0)
        return [str(refusal) for refusal in found.refusals]


class Commands(Launches):
    def of(self, words):
        return self.told(VLLM, f'vllm serve "$MODEL" {words}\n')

    def expect(self, words, *messages):
        self.assertEqual(self.of(words), [f"command:1: {m}" for m in messages])

    def test_good_commands_pass(self):
        for words in ("--size 8", "--size=8", "-s 8", "--size -1", "--size $N", "--share 0.9",
                      "--share 1e-3", "--flag", "--backend ray", "--ranks 1 2 3", "--range 1 2",
                      "--maybe", "--maybe x", "--again a --again b", "--yes true", "--length 8k",
                      "--length auto", "--length -1", "--length 4096",
                      """--config '{"kind": "a"}'""", """--config '{"kind": null}'""",
                      """--config '{"open": {"x": {"y": 1}}}'""", "--config.kind b", "# --none",
                      "--flag && echo --none", "--flag | tee --none"):
            self.expect(words)

    def test_unknown_options(self):
        self.expect("--sise 8", "vllm toy has no option '--sise'; the nearest is '--size'")
        self.expect("--none-of-them 8 9 --flag",
                    "vllm toy has no option '--none-of-them'; leave it out")
        self.expect("""--config '{"kinds": "a"}'""", "vllm toy has no option '--config.kinds'; the "
                                                     "nearest is '--config.kind'")

    def test_wrong_types(self):
        self.expect("--size 8.5", "'--size' takes a whole number, not '8.5'; write a whole number")
        self.expect("--ranks 1 x", "'--ranks' takes a whole number, not 'x'; write a whole number")
        self.expect("--share much", "'--share' takes a number, not 'much'; write a number")
        self.expect("--yes perhaps",
                    "'--yes' takes true or false, not 'perhaps'; write true or false")
        self.expect("--length long", "'--length' takes a whole number, also with k, m or g behind "
                    "it, not 'long'; write a whole number, also with k, m or g behind it")
        self.expect("--config {kind", "'--config' takes JSON, not '{kind'; write JSON")
        self.expect("--flag=1", "'--flag' is a switch and takes no value, but has '1'; write "
                                "'--flag' alone")

    def test_values_outside_the_choices(self):
        self.expect("--backend mpi",
                    "'--backend' of vllm toy does not take 'mpi'; it takes ray, mp")
        self.expect("""--config '{"kind": "c"}'""",
                    """'--config.kind' of vllm toy does not take "c"; it takes a, b""")
        self.expect("--config.kind c",
                    """'--config.kind' of vllm toy does not take "c"; it takes a, b""")

    def test_missing_values(self):
        self.expect("--size", "'--size' has no value; write one behind it")
        self.expect("--size --flag", "'--size' has no value; write one behind it")
        self.expect("--ranks", "'--ranks' has no value; write one behind it")
        self.expect("--range 1",
                    "'--range' has 1 of the 2 values that it takes; write 2 behind it")

    def test_options_given_twice(self):
        self.expect("--size 8 --flag -s 4",
                    "'-s' is given twice, first at command:1; leave one of them out")

    def test_words_of_no_option(self):
        self.expect("other", "'other' belongs to no option; leave it out")
        self.expect("--flag 1 2", "'1' belongs to no option; leave it out",
                    "'2' belongs to no option; leave it out")

    def test_required_options(self):
        self.assertEqual(self.told(SGLANG, "python -m sglang.launch_server --model-path m\n"), [])
        self.assertEqual(
            self.told(SGLANG, "python -m sglang.launch_server\n"),
            ["command: '--model-path' is not given, which sglang toy requires; give it"])

    def test_places_are_lines_of_files_in_files(self):
        launch = ("cat > serve.sbatch <<'END_OF_FILE'\n#!/bin/bash\ncat > vllm.sh <<'END'\n"
                  "ray start --head\nvllm serve m \\\n  --size x \\\n  --flag\nEND\nwait\n"
                  "END_OF_FILE\n\nvllm serve m --sharing 1\n")
        self.assertEqual(self.told(VLLM, launch), [
            "command:12: vllm toy has no option '--sharing'; the nearest is '--share'",
            "serve.sbatch/vllm.sh:3: '--size' takes a whole number, not 'x'; write a whole number"])

    def test_commands_of_manifests_are_held_as_well(self):
        launch = ("cat > kubernetes.yaml <<'END_OF_FILE'\nargs:\n  - |\n    vllm serve m \\\n"
                  "      --nothing\nEND_OF_FILE\n")
        self.assertEqual(self.told(VLLM, launch), [
            "kubernetes.yaml:4: vllm toy has no option '--nothing'; leave it out"])

    def test_commands_that_the_table_is_not_of_are_passed_over(self):
        table = "# program\ttensorrt-llm\n# version\ttoy\n" + HEADING + "--port\tvalue\tint\n"
        self.assertEqual(self.told(table, "trtllm-serve m --port 1\ntrtllm-serve disaggregated "
                                   "-c disaggregated.yaml -t 3600\n"), [])
        self.assertEqual(len(self.told(table, "trtllm-serve m -t 3600\n")), 2)

    def test_quotes_that_are_not_closed(self):
        message = "command:1: quotes are not closed in 'vllm serve m --size \"8'; close them"
        with self.assertRaisesRegex(replay.launched.Unclosed, message):
            self.told(VLLM, 'vllm serve m --size "8\n')


class Documents(Launches):
    def yaml(self, text):
        return self.told(NANOTRON, f"cat > train.yaml <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n")

    def json(self, text):
        return self.told(DEEPSPEED, f"cat > deepspeed.json <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n")

    def toml(self, text, command=""):
        return self.told(TORCHTITAN, f"cat > train.toml <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n"
                         f"torchrun -m torchtitan.train {command}\n")

    def test_good_files_pass(self):
        self.assertEqual(self.yaml("a:\n  choice: one\n  float: 1\n  int: null\n  is_on: true\n"
                                   "  items: [1]\n  any: bfloat16\nopen:\n  x: {y: 1}"), [])
        self.assertEqual(self.json('{"a": {"choice": "TWO"}}'), [])
        self.assertEqual(self.toml("[a]\nint = 1", "--a.int 8 --a.is_on --a.float 0.5"), [])

    def test_mistakes_in_files(self):
        self.assertEqual(self.yaml("a:\n  ints: 1"), [
            "train.yaml: nanotron toy has no option 'a.ints'; the nearest is 'a.int'"])
        self.assertEqual(self.yaml("other:\n  x: 1"), [
            "train.yaml: nanotron toy has no option 'other'; leave it out"])
        self.assertEqual(self.yaml("a:\n  int: true"), [
            "train.yaml: 'a.int' takes int or null, not true; write a value of that type"])
        self.assertEqual(self.yaml("a:\n  float: much"), [
            "train.yaml: 'a.float' takes float, not \"much\"; write a value of that type"])
        self.assertEqual(self.yaml("a: 1"), [
            "train.yaml: 'a' takes table, not 1; write a value of that type"])
        self.assertEqual(self.yaml("a:\n  choice: three"), [
            "train.yaml: 'a.choice' of nanotron toy does not take \"three\"; it takes ONE, TWO"])
        self.assertEqual(self.json('{"a": {"choice": "two"}}'), [
            "deepspeed.json: 'a.choice' of deepspeed toy does not take \"two\"; it takes ONE, TWO"])

    def test_keys_given_twice(self):
        self.assertEqual(self.yaml("a:\n  int: 1\n  int: 2"), [
            "train.yaml: 'int' is given twice; leave one of them out"])
        self.assertEqual(self.json('{"a": 1, "a": 2}'), [
            "deepspeed.json: 'a' is given twice; leave one of them out"])
        self.assertIn("train.toml: is no TOML: Cannot overwrite a value",
                      self.toml("[a]\nint = 1\nint = 2")[0])

    def test_files_that_cannot_be_read(self):
        self.assertRegex(self.json("{")[0], "deepspeed.json: is no JSON: .*; correct it")
        self.assertRegex(self.yaml("a: [")[0], "train.yaml: is no YAML: .*; correct it")
        self.assertEqual(self.yaml("- 1"), ["train.yaml: has no keys; write KEY and value"])

    def test_assignments_in_python(self):
        def python(text):
            return self.told(TORCHTITAN, f"cat > train.py <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n")

        self.assertEqual(python("def f():\n    config = g()\n    config.a.int = 1\n"
                                "    config.a.any = made(1)\n    config.a.is_on = True"), [])
        self.assertEqual(python("config.a.ints = 1"), [
            "train.py: torchtitan toy has no option 'a.ints'; the nearest is 'a.int'"])
        self.assertEqual(python("config.a.int = 'x'"), [
            "train.py: 'a.int' takes int or null, not \"x\"; write a value of that type"])
        self.assertEqual(python("config.a.int = 1\nconfig.a.int = 2"), [
            "train.py: 'config.a.int' is given twice; leave one of them out"])
        self.assertRegex(python("config.a.int = ")[0], "train.py: is no PY: .*; correct it")

    def test_keys_as_options(self):
        self.assertEqual(self.toml("[a]", "--b.int 8 --a.int x"), [
            "command:4: torchtitan toy has no option '--b.int'; leave it out",
            "command:4: '--a.int' takes int or null, not \"x\"; write a value of that type"])

    def test_overrides(self):
        self.assertEqual(self.bridge("a.int=null a.choice=ONE a.float=2 a.any=bf16 open.x.y=1"), [])
        self.assertEqual(self.bridge("a.ints=1 a.int a.is_on=true a.is_on=false a.float=x b.c=1"), [
            "command:1: megatron-bridge toy has no option 'a.ints'; the nearest is 'a.int'",
            "command:1: 'a.int' has no value; write a.int=VALUE",
            "command:1: 'a.is_on' is given twice, first at command:1; leave one of them out",
            "command:1: 'a.float' takes float, not \"x\"; write a value of that type",
            "command:1: megatron-bridge toy has no option 'b.c'; leave it out"])

    def test_overrides_behind_a_file(self):
        table = BRIDGE.replace("megatron-bridge", "maxtext")
        command = "python3 -m maxtext.trainers.pre_train.train base.yml a.int=1"
        self.assertEqual(self.told(table, command + "\n"), [])
        self.assertEqual(self.told(table, command + " other.yml\n"), [
            "command:1: 'other.yml' has no value; write other.yml=VALUE"])

    def bridge(self, words):
        return self.told(BRIDGE, f'torchrun "$RECIPE" {words}\n')


class Program(Launches):
    def run_program(self, table, launch):
        path = self.root / "launch.txt"
        path.write_text(launch, encoding="utf-8")
        said, wrong = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
            code = replay.main([str(table), "--launch", str(path)])
        return code, said.getvalue(), wrong.getvalue()

    def test_exit_codes(self):
        table = self.table(VLLM)
        self.assertEqual(self.run_program(table, "vllm serve m --size 8\n"), (0, "", ""))
        code, said, _ = self.run_program(table, "vllm serve m --size x\n")
        self.assertEqual((code, said.count("\n")), (1, 1))
        code, _, wrong = self.run_program(table, "echo vllm\n")
        self.assertEqual(code, 2)
        self.assertIn("no command and no file of vllm; give what `scalesweep launch --for vllm` "
                      "prints", wrong)

    def test_tables_that_are_none(self):
        code, _, wrong = self.run_program("vllm@none", "vllm serve m\n")
        self.assertEqual(code, 2)
        self.assertRegex(wrong, "no table 'vllm@none'; known are .*vllm@0.11.*; read_options.py "
                                "makes others")
        for text, message in (
                (VLLM.replace("program\tvllm", "program\tother"),
                 "table of 'other', whose commands are not known; known are megatron-lm"),
                (VLLM.replace("# version", "# colour"),
                 ":2: unknown header 'colour'; known are program, version"),
                (VLLM.replace("kind\ttype", "type\tkind"),
                 ":3: the columns must be names kind type choices default place; write the table "
                 "again with read_options.py"),
                (VLLM + "--more\tvalue\tint\ta\tb\tc\td\n", "7 cells, where 6 columns are"),
                ("", "table.tsv:1: no line of columns")):
            code, _, wrong = self.run_program(self.table(text), "vllm serve m\n")
            self.assertEqual(code, 2, text)
            self.assertIn(message, wrong)


class Generated(unittest.TestCase):
    """The generator asks for each target what its table is about."""

    def test_specs_are_many_and_differ(self):
        asked = list(specs.all_specs())
        self.assertEqual(len({(target, name) for target, name, _ in asked}), len(asked))
        self.assertGreater(len({text for _, _, text in asked}), 200)
        self.assertEqual({target for target, _, _ in asked}, set(specs.TRAINERS + specs.ENGINES))

    def test_every_target_has_tables(self):
        for target in specs.TRAINERS + specs.ENGINES:
            versions = launches.versions_of(target)
            self.assertTrue(versions, target)
            for version in versions:
                self.assertTrue(launches.tables_of(target, version), target)

    def test_counts(self):
        counts = launches.Counts()
        version = "0.11"
        counts.hold("vllm", version, 'vllm serve "$MODEL" --tensor-parallel-size 8\n')
        self.assertTrue(counts.all_pass())
        counts.hold("vllm", version,
                    'vllm serve "$MODEL" --tensor-parallel-size x --tensor-parallel-size\n')
        self.assertFalse(counts.all_pass())
        self.assertEqual(counts.launches["vllm", version], 2)
        self.assertEqual(counts.passes["vllm", version], 1)
        self.assertEqual(counts.refused["vllm", version], {
            ("type", "--tensor-parallel-size"): 1, ("twice", "--tensor-parallel-size"): 1,
            ("missing", "--tensor-parallel-size"): 1})


if __name__ == "__main__":
    unittest.main()
