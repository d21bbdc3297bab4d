#!/usr/bin/env python3
"""The JSON schemas that the program prints take every shipped file and refuse mistakes, and are
those beside the files.

    schema_test.py PROGRAM SOURCE_FOLDER
"""
import copy
import json
import subprocess
import sys
import tomllib
from pathlib import Path

try:
    import jsonschema
except ModuleNotFoundError:
    print("left out: there is no jsonschema, Debian's python3-jsonschema")
    sys.exit(77)


def check_subject(program, subject, folder):
    """The validator of one sort of files, and the files by name."""
    said = subprocess.run([program, "help", subject, "--json-schema"], check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    assert (folder / "schema.json").read_text(encoding="utf-8") == said, f"{folder}/schema.json"
    schema = json.loads(said)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    files = {path.name: tomllib.loads(path.read_text(encoding="utf-8"))
             for path in sorted(folder.glob("*.toml"))}
    assert files, f"no file in {folder}"
    for name, content in files.items():
        mistakes = [f"{name}: {list(e.path)}: {e.message}" for e in validator.iter_errors(content)]
        assert not mistakes, "\n".join(mistakes[:5])
    return validator, files


def check_refused(validator, content, changes):
    """Every change of a right file makes a wrong one."""
    for path, value in changes:
        wrong = copy.deepcopy(content)
        table = wrong
        for key in path[:-1]:
            table = table[key]
        if value is None:
            del table[path[-1]]
        else:
            table[path[-1]] = value
        assert not validator.is_valid(wrong), f"{path} = {value} is taken"


def main(arguments):
    program, source = arguments[1], Path(arguments[2])
    specs, files = check_subject(program, "spec", source / "sweeps")
    check_refused(specs, files["quick.toml"], [
        (["titel"], "x"), (["title"], None), (["workload", "sequence"], None),
        (["workload", "prompt"], 200), (["workload", "sequence"], "2048"),
        (["system", "device", "die_area"], 826), (["system", "device", "die_area"], "826 W"),
        (["system", "logic"], None), (["strategy", "zero"], 4),
        (["system", "power_limit"], "500 W"), (["keep"], {"policy": "some"})])
    check_refused(specs, files["serving.toml"], [(["workload", "batch"], 8),
                                                 (["workload", "sequence"], 8),
                                                 (["workload", "draft"], 4),
                                                 (["workload", "acceptance"], 0.8),
                                                 (["keep"], {"policy": "all", "k": 3})])
    beside = copy.deepcopy(files["serving.toml"])
    beside["workload"] |= {"draft": 4, "acceptance": 0.8, "prefill_share": [0.25, 0.5],
                           "batching": ["chunked", "disaggregated"]}
    beside["keep"] = {"policy": "best", "k": 3}
    assert specs.is_valid(beside), "keys are refused beside what they need"
    check_refused(specs, beside, [(["workload", "acceptance"], None), (["workload", "draft"], None),
                                  (["workload", "batching"], None), (["keep", "policy"], None),
                                  (["keep", "policy"], "frontier")])
    entries, files = check_subject(program, "catalog", source / "nodes")
    device = next(iter(files["devices-nvidia.toml"]["device"]))
    check_refused(entries, files["devices-nvidia.toml"], [
        (["device", device, "cors"], 3), (["device", device, "cores"], None),
        (["device", device, "power"], 700), (["device", device, "kind"], "guessed"),
        (["device", device, "power"], {"value": "700 W", "sorce": "x"})])
    print("the schemas take what ships and refuse mistakes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
