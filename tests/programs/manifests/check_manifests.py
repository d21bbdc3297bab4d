#!/usr/bin/env python3
"""Files of a launch that start engines on many servers, held against shells and schemas.

    check_manifests.py < LAUNCH

LAUNCH is what `scalesweep launch` prints. Scripts are read by `bash -n`, manifests as YAML and by
the tables of schemas/. Prints what is not as it has to be; the exit code is 1 where something is.
"""
import functools
import re
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import documents  # noqa: E402
import launched  # noqa: E402
import schema  # noqa: E402
from reading import rows  # noqa: E402

OF_KINDS = {"LeaderWorkerSet": "leaderworkerset@v1",
            "DynamoGraphDeployment": "dynamographdeployment@1.0.1"}
VALUES = "llm-d-modelservice@0.4.12"
OPTIONS = "dynamo-options@1.0.1"
# Of the engines in the images of Dynamo (docs/reference/support-matrix.md at 3890a4d9).
ENGINES = {"vllm": "0.16.0", "sglang": "0.5.9"}
# Fields of resources of Kubernetes itself; of a Deployment the pod is that of a LeaderWorkerSet.
PLAIN = {"ConfigMap": {"data"}, "Service": {"spec"}, "Deployment": {"spec"}}
HEAD = {"apiVersion", "kind", "metadata"}


def shell_problems(text):
    ran = subprocess.run(["bash", "-n"], input=text, capture_output=True, text=True, check=False)
    return [ran.stderr.strip()] if ran.returncode or ran.stderr else []


def scripts(value):
    """Texts that containers give to a shell."""
    if isinstance(value, dict):
        if value.get("command") == ["bash", "-c"]:
            yield from value["args"]
        for item in value.values():
            yield from scripts(item)
    elif isinstance(value, list):
        for item in value:
            yield from scripts(item)


def numbers(version):
    """Of a version those in order; of a branch, which is newer than all, none that counts."""
    return [999] if version.startswith("main") else [int(n) for n in re.findall(r"\d+", version)]


@functools.cache
def options_around(engine):
    """Names of the versions that were read before and after that of Dynamo."""
    own = numbers(ENGINES[engine])
    paths = sorted((HERE.parent / "tables").glob(f"{engine}@*.tsv"),
                   key=lambda path: numbers(path.stem.partition("@")[2]))
    older = [p for p in paths if numbers(p.stem.partition("@")[2]) <= own]
    newer = [p for p in paths if numbers(p.stem.partition("@")[2]) > own]
    return {name for path in older[-1:] + newer[:1] for row in rows.read(path).rows
            for name in row.names}


def worker_problems(container, tables):
    """Of a container of Dynamo: options that its module or its engine does not have."""
    module = container["command"][2].removeprefix("dynamo.")
    own = tables[OPTIONS].shapes[module]
    engine = options_around(module) if module in ENGINES else set()
    found = []
    for at, word in enumerate(container["args"]):
        name = word.partition(".")[0] if word.startswith("--") else ""
        if name and name not in own and name not in engine:
            found.append(f"{module}: {name} is no option")
        elif name in own and own[name][2]:
            value = container["args"][at + 1]
            found += [] if value in own[name][2].split("|") else [
                f"{module}: {name} {value} is none of {own[name][2]}"]
    return found


def pod_of_deployments(tables):
    """The type of a pod's template."""
    table = tables["leaderworkerset@v1"]
    shape = next(fields for fields in table.shapes.values() if "leaderTemplate" in fields)
    return shape["workerTemplate"][0]


def document_problems(document, tables):
    kind = document.get("kind")
    if kind in OF_KINDS:
        found = tables[OF_KINDS[kind]].problems(document)
    elif kind in PLAIN:
        found = [(name, "is no field") for name in set(document) - HEAD - PLAIN[kind]]
        if kind == "Deployment":
            found += tables["leaderworkerset@v1"].problems(
                document["spec"]["template"], pod_of_deployments(tables), ".spec.template")
    else:
        found = tables[VALUES].problems(document)
    name = kind or VALUES
    services = document["spec"].get("services", {}) if kind == "DynamoGraphDeployment" else {}
    workers = [problem for service in services.values() for problem in worker_problems(
        service["extraPodSpec"]["mainContainer"], tables)]
    return [f"{name}{place}: {what}" for place, what in found] + workers + [
        f"{name}: {problem}" for script in scripts(document) for problem in shell_problems(script)]


def problems(launch, tables):
    """(file, what) of the files in a launch, and how many were held."""
    found, held = [], 0
    for text in launched.texts("command", launch):
        name = text.name.rpartition("/")[2]
        if name.endswith((".sh", ".sbatch")) or text.name == "command":
            held += text.name != "command"
            found += [(text.name, problem) for problem in shell_problems(text.text())]
        elif name in ("kubernetes.yaml", "dynamo.yaml", "llm-d.yaml"):
            for document in yaml.load_all(text.text(), documents.UniqueKeys):
                held += 1
                found += [(text.name, what) for what in document_problems(document, tables)]
    return found, held


def main():
    found, held = problems(sys.stdin.read(), schema.schemas())
    for file, what in found:
        print(f"{file}: {what}")
    print(f"{held} scripts and manifests, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
