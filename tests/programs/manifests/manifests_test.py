#!/usr/bin/env python3
"""Manifests of launches are what schemas and shells take. SCALESWEEP names the program."""
import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import check_manifests
import dynamo_options
import launched
import read_schemas
import schema
import specs

SMALL = """# root\tobject 1
shape\tfield\ttype\trequired\tchoices\tlimits
1\tkind\tstring\trequired\tA|B\t
1\tcount\tinteger\t\t\t{"minimum": 2}
1\tname\tstring\t\t\t{"pattern": "^[a-z]+$"}
1\tall\tlist(object 2)\t\t\t
1\tlabels\tmap(string)\t\t\t
2\tsize\tint-or-string\trequired\t\t
3\tx\tany\t\t\t
3\t*\tany\t\t\t
"""
NAMES = ("it's \"one\"", "$(touch marked)", "`touch marked`", "a\nEND\nEND_OF_FILE\nb",
         "{{ .Values }}: #x", "--flag; touch marked")


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / "small@1.tsv"
            path.write_text(SMALL, encoding="utf-8")
            cls.small = schema.Schema(path)

    def expect(self, value, *problems):
        self.assertEqual([f"{where} {what}" for where, what in self.small.problems(value)],
                         list(problems))

    def test_what_is_as_it_has_to_be_passes(self):
        self.expect({"kind": "A", "count": 2, "name": "a", "all": [{"size": 1}, {"size": "1Gi"}],
                     "labels": {"a/b": "c"}})

    def test_each_problem_has_its_place(self):
        self.expect({"count": 2}, ".kind is missing")
        self.expect({"kind": "C"}, ".kind 'C' is none of A|B")
        self.expect({"kind": "A", "kinds": 1}, ".kinds is no field")
        self.expect({"kind": "A", "count": 1}, ".count 1: minimum 2")
        self.expect({"kind": "A", "count": True}, ".count True is no integer")
        self.expect({"kind": "A", "count": "2"}, ".count '2' is no integer")
        self.expect({"kind": "A", "name": "A"}, ".name 'A': pattern ^[a-z]+$")
        self.expect({"kind": "A", "all": [{"size": 1}, {}]}, ".all[1].size is missing")
        self.expect({"kind": "A", "all": {}}, ".all {} is no list")
        self.expect({"kind": "A", "labels": {"a": 1}}, ".labels.a 1 is no string")
        self.expect({"kind": "A", "labels": []}, ".labels [] is no map")
        self.expect([], " [] is no object")
        self.assertEqual(self.small.problems({"y": 1}, "object 3"), [])

    def test_tables_say_where_they_are_from(self):
        tables = schema.schemas()
        self.assertEqual(set(tables), set(read_schemas.SCHEMAS))
        for name, table in tables.items():
            repository, _, commit, file = read_schemas.SCHEMAS[name]
            self.assertEqual(table.header, {
                "schema": name, "repository": repository, "commit": commit, "source": file,
                "root": table.header["root"]})
            self.assertRegex(commit, "^[0-9a-f]{40}$")
            self.assertLess(200, sum(map(len, table.shapes.values())))

    def test_fields_of_programs_are_there(self):
        """What one reads in the sources that the tables name."""
        tables = schema.schemas()
        graph = tables["dynamographdeployment@1.0.1"]
        worker = next(s for s in graph.shapes.values() if "multinode" in s)
        nodes = graph.shapes[worker["multinode"][0].split()[1]]["nodeCount"]
        self.assertEqual(nodes, ["integer", "required", "", '{"minimum": 2}'])
        spec = next(s for s in graph.shapes.values() if "backendFramework" in s)
        self.assertEqual(set(spec["backendFramework"][2].split("|")),
                         {"sglang", "vllm", "trtllm"})
        sets = tables["leaderworkerset@v1"]
        group = next(s for s in sets.shapes.values() if "leaderTemplate" in s)
        self.assertEqual(group["workerTemplate"][1], "required")
        values = tables["llm-d-modelservice@0.4.12"]
        counts = next(s for s in values.shapes.values() if "dataLocal" in s)
        self.assertEqual(sorted(counts), ["data", "dataLocal", "tensor", "workers"])

    def test_shapes_are_described_once(self):
        shapes = read_schemas.Shapes()
        one = {"properties": {"a": {"type": "string"}}}
        root = shapes.of({"properties": {"b": one, "c": {"type": "array", "items": one}}})
        self.assertEqual((root, shapes.rows), ("object 2", [
            ("1", "a", "string", "", "", ""), ("2", "b", "object 1", "", "", ""),
            ("2", "c", "list(object 1)", "", "", "")]))


class Options(unittest.TestCase):
    SOURCE = """class Modes(Enum):
    A = "a"
    B = "b"

def add(g):
    add_argument(g, flag_name="--mode", choices=[m.value for m in Modes])
    add_argument(g, flag_name="--level", choices=[1, 2], obsolete_flag="--old")
    add_argument(g, flag_name=name)
"""

    def test_names_and_choices_of_calls(self):
        tree = ast.parse(self.SOURCE)
        found = dynamo_options.options(tree, dynamo_options.enumerations(tree))
        self.assertEqual(list(found), [("--mode", ["a", "b"]), ("--level", [1, 2]),
                                       ("--old", [1, 2])])

    def test_engines_are_between_versions_that_were_read(self):
        self.assertEqual(sorted(["main-2026", "0.22", "0.5.6.post2", "0.11"],
                                key=check_manifests.numbers),
                         ["0.5.6.post2", "0.11", "0.22", "main-2026"])
        for engine in check_manifests.ENGINES:
            self.assertLess(200, len(check_manifests.options_around(engine)))


def launch(text, target, folder):
    path = folder / "spec.toml"
    path.write_text(text, encoding="utf-8")
    return subprocess.run(
        [os.environ["SCALESWEEP"], "launch", str(path), "--point", "0", "--for", target],
        capture_output=True, text=True, check=False)


class Launches(unittest.TestCase):
    def setUp(self):
        self.tables = schema.schemas()
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def held(self, text, target):
        """Files of a launch; None where it is kept back."""
        ran = launch(text, target, self.folder)
        if ran.returncode:
            return None
        found, held = check_manifests.problems(ran.stdout, self.tables)
        self.assertEqual(found, [])
        self.assertLess(0, held)
        return {t.name: t.text() for t in launched.texts("command", ran.stdout)}

    def test_of_many_servers(self):
        counts = dict.fromkeys(specs.ENGINES, 0)
        for name, text in specs.many_servers():
            for target in specs.ENGINES:
                with self.subTest(name=name, target=target):
                    counts[target] += self.held(text, target) is not None
        self.assertTrue(all(count >= 6 for count in counts.values()), counts)

    def test_of_older_versions(self):
        specs_of = dict(specs.many_servers())
        for target in ("vllm@0.11", "vllm@0.22", "sglang@0.5.3", "sglang@0.5.6.post2"):
            for name in ("mi300x servers", "h200-sxm pools", "wide servers"):
                with self.subTest(name=name, target=target):
                    found = self.held(specs_of[name], target)
                    sets = (found or {}).get("kubernetes.yaml", "")
                    image = re.search(r"image: \S+:v(\S+)", sets)
                    if image:
                        self.assertIn(target.partition("@")[2], image.group(1))

    def test_a_problem_is_found(self):
        text = dict(specs.many_servers())["h200-sxm pools"]
        good = launch(text, "vllm", self.folder).stdout
        for old, new, what in (
                ("leaderWorkerTemplate:", "leaderTemplates:", "is no field"),
                ("replicas: 2\n  leader", "replicas: two\n  leader", "is no integer"),
                ("backendFramework: vllm", "backendFramework: vllms", "is none of"),
                ("dataLocal: 1", "dataLocals: 1", "is no field"),
                ("--tensor-parallel-size\"", "--tp_size\"", "--tp_size is no option"),
                ("\"decode\"\n", "\"decoding\"\n", "decoding is none of"),
                ("done\n", "", "syntax error")):
            self.assertIn(old, good)
            found, _ = check_manifests.problems(good.replace(old, new), self.tables)
            self.assertTrue(any(what in problem for _, problem in found), (new, found))

    def test_names_stay_what_they_are(self):
        """Names of models are words of shells and documents, whatever is in them."""
        for number, name in enumerate(NAMES):
            quoted = '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace(
                "\n", "\\n") + '"'
            nodes = self.folder / "nodes"
            nodes.mkdir(exist_ok=True)
            (nodes / "own.toml").write_text(
                f'schema = 1\n[model.{quoted}]\nlike = "llama-3-8b"\n', encoding="utf-8")
            text = dict(specs.many_servers())["drafts of pools"].replace(
                '"llama-3-8b"', quoted)
            with self.subTest(number=number):
                ran = launch(text, "vllm", self.folder)
                if "\n" in name:
                    self.assertIn("has control characters", ran.stderr)
                    continue
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertEqual(check_manifests.problems(ran.stdout, self.tables)[0], [])
                subprocess.run(["bash", "-c", "vllm() { :; }\n" + "\n".join(
                    t.text() for t in launched.texts("command", ran.stdout)
                    if t.name == "command")], cwd=self.folder, check=False)
                self.assertFalse((self.folder / "marked").exists())

    def test_the_model_comes_from_outside(self):
        """MODEL is a word in each command, and Kubernetes hands it over as it is."""
        text = dict(specs.many_servers())["h200-sxm pools"]
        for target in specs.ENGINES:
            files = self.held(text, target)
            self.assertIn('"$MODEL"', files["serve.sbatch/decode.sh"])
            *_, graph = yaml.safe_load_all(files["dynamo.yaml"])
            for worker in ("decode", "prefill"):
                pod = graph["spec"]["services"][worker]["extraPodSpec"]
                self.assertIn("$(MODEL)", pod["mainContainer"]["args"])


if __name__ == "__main__":
    unittest.main()
