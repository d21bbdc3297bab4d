#!/usr/bin/env python3
"""Tables of what manifests may hold, read from the schemas that the programs check them with.

    read_schemas.py MIRRORS [NAME ...]

MIRRORS is a folder of bare copies of repositories (OWNER+NAME/repo). Written is schemas/NAME.tsv:
a row for each field of each shape, a shape being an object that is described once however often
it stands. Names, types, choices and limits; no texts, and no rules between fields.
"""
import json
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import dynamo_options  # noqa: E402

LIMITS = ("minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "maxProperties",
          "pattern")
# NAME: repository, the copy of it that was read, commit, file.
SCHEMAS = {
    "leaderworkerset@v1": (
        "kubernetes-sigs/lws", "kubernetes-sigs/lws", "060ab4da17eea1f0865fcbd3236bb1075e2cea32",
        "config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml"),
    "dynamographdeployment@1.0.1": (
        "ai-dynamo/dynamo", "xiaojun-zhang/dynamo", "5534a9df6d37cafe335185cc5823dfc5dfceaae2",
        "deploy/operator/config/crd/bases/nvidia.com_dynamographdeployments.yaml"),
    "llm-d-modelservice@0.4.12": (
        "llm-d-incubation/llm-d-modelservice", "llm-d-incubation/llm-d-modelservice",
        "3051935eb5a49f6df21cd6aeb5e4f05b98799262",
        "charts/llm-d-modelservice/values.schema.json"),
    "dynamo-options@1.0.1": (
        "ai-dynamo/dynamo", "xiaojun-zhang/dynamo", "5534a9df6d37cafe335185cc5823dfc5dfceaae2",
        "components/src/dynamo"),
}


class Shapes:
    """Objects of a schema as numbered lists of fields, equal ones once."""

    def __init__(self):
        self.numbers = {}
        self.rows = []

    def of(self, schema):
        """The type of a field, as the table has it."""
        if schema.get("x-kubernetes-int-or-string"):
            return "int-or-string"
        if schema.get("x-kubernetes-preserve-unknown-fields") or "$ref" in schema:
            return "any"
        kind = schema.get("type")
        if isinstance(kind, list):
            return "|".join(sorted(kind))
        if kind == "array":
            return f"list({self.of(schema.get('items') or {})})"
        if schema.get("properties"):
            return f"object {self.number(schema)}"
        rest = schema.get("additionalProperties")
        if kind == "object" and isinstance(rest, dict):
            return f"map({self.of(rest)})"
        return "any" if kind in (None, "object") else kind

    def number(self, schema):
        required = set(schema.get("required") or ())
        fields = []
        for name, field in sorted(schema["properties"].items()):
            choices = "|".join(map(str, field.get("enum", ())))
            limits = json.dumps({k: field[k] for k in LIMITS if k in field}) \
                if any(k in field for k in LIMITS) else ""
            fields.append((name, self.of(field), "required" if name in required else "", choices,
                           limits))
        if schema.get("additionalProperties"):
            fields.append(("*", "any", "", "", ""))
        key = tuple(fields)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers) + 1
            self.rows += [(str(self.numbers[key]), *field) for field in fields]
        return self.numbers[key]


def root_of(name, text):
    """Of a definition of a resource the schema of its first version, else the text itself."""
    if name.endswith(".json"):
        return json.loads(text)
    return yaml.safe_load(text)["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def table(name, show):
    """`show` gives the text of a file, or None where there is none."""
    repository, _, commit, file = SCHEMAS[name]
    shapes = Shapes()
    if name.startswith("dynamo-options"):
        root = "any"
        shapes.rows = dynamo_options.rows(show)
    else:
        root = shapes.of(root_of(file, show(file) or ""))
    head = [f"# schema\t{name}", f"# repository\t{repository}", f"# commit\t{commit}",
            f"# source\t{file}", f"# root\t{root}", "shape\tfield\ttype\trequired\tchoices\tlimits"]
    return "\n".join(head + ["\t".join(row) for row in shapes.rows]) + "\n"


def shown(mirror, commit, file):
    """Of a bare copy the text of a file; None where it has none."""
    ran = subprocess.run(["git", f"--git-dir={mirror}", "show", f"{commit}:{file}"],
                         capture_output=True, text=True, check=False)
    return None if ran.returncode else ran.stdout


def main(arguments):
    if not arguments or not set(arguments[1:]) <= set(SCHEMAS):
        print(f"read_schemas.py: error: give MIRRORS, and names of {', '.join(SCHEMAS)}",
              file=sys.stderr)
        return 1
    for name in arguments[1:] or SCHEMAS:
        _, copy, commit, file = SCHEMAS[name]
        mirror = Path(arguments[0]) / copy.replace("/", "+") / "repo"
        if shown(mirror, commit, file) is None:
            print(f"read_schemas.py: error: {mirror}: no {file} at {commit}; copy {copy} there",
                  file=sys.stderr)
            return 1
        text = table(name, lambda f, m=mirror, c=commit: shown(m, c, f))
        (HERE / "schemas" / f"{name}.tsv").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
