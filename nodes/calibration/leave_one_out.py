#!/usr/bin/env python3
"""Estimates measured cases as if their device or their stack had never been measured.

    python3 leave_one_out.py build/release/bin/scalesweep ../shared/validation FOLDER [NAME ...]

Of each group of GROUPS a copy of the catalog is made in which what was fitted to it (kind
calibrated or measured, and the libraries of its devices) is what a relative has, as an entry for
something new would be written. 'scalesweep validate' predicts the group's cases with that copy, and
the predictions go to FOLDER/KIND-NAME/*.csv, those of the catalog as it is to FOLDER/all; names
ask for some of the groups, or `all`. What follows for error bars: measure_uncertainty.py --left-out
FOLDER. Constants that all devices share (fits.toml) are not
fitted again.
"""
import collections
import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from entries import section_of

# What is left out: devices or stacks, and whose constants they get. `kind` is what would be said
# of a point of theirs (technology/uncertainty.hpp).
Group = collections.namedtuple("Group", "kind name members relative")
DEVICE, ARCHITECTURE, MAKER = "device", "architecture", "maker"
VERSION, STACK = "version", "stack"
OF_DEVICES = (DEVICE, ARCHITECTURE, MAKER)
SOURCE = "relative-left-out"  # key of what the copy cites

GROUPS = (
    # A generation of which nothing was measured takes after that before it, the oldest after the
    # next one.
    Group(ARCHITECTURE, "ampere", ("a100-sxm-40gb", "a100-sxm-80gb", "a100-pcie-80gb"),
          "h100-sxm"),
    Group(ARCHITECTURE, "hopper", ("h100-sxm", "h200-sxm", "h100-sxm-96gb", "h800-sxm"),
          "a100-sxm-80gb"),
    Group(ARCHITECTURE, "blackwell", ("b200-sxm", "gb200", "b300-sxm", "gb300"), "h100-sxm"),
    Group(ARCHITECTURE, "ada", ("l40s",), ""),
    # A device whose architecture was measured takes after its sibling.
    Group(DEVICE, "a100-sxm-40gb", ("a100-sxm-40gb",), ""),
    Group(DEVICE, "a100-pcie-80gb", ("a100-pcie-80gb",), ""),
    Group(DEVICE, "h200-sxm", ("h200-sxm",), "h100-sxm"),
    Group(DEVICE, "h100-sxm-96gb", ("h100-sxm-96gb",), ""),
    Group(DEVICE, "b200-sxm", ("b200-sxm",), "gb200"),
    Group(DEVICE, "gb200", ("gb200",), "b200-sxm"),
    Group(DEVICE, "gb300", ("gb300",), ""),
    Group(DEVICE, "mi325x", ("mi325x",), ""),
    # A maker of whose devices nothing was measured: nothing was fitted to Google's; of AMD's no
    # kernel was, and stacks, which were, are what they were ported from.
    Group(MAKER, "google", ("tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e"), ""),
    Group(MAKER, "amd", ("mi250x", "mi300x", "mi325x", "mi355x"), ""),
    # A new version is what the one before was, the oldest what the next one is.
    Group(VERSION, "vllm@0.12", ("vllm@0.12",), "vllm@0.11"),
    Group(VERSION, "vllm@0.14", ("vllm@0.14",), "vllm@0.12"),
    Group(VERSION, "vllm@0.11", ("vllm@0.11",), "vllm@0.12"),
    Group(VERSION, "tensorrt-llm@1.1", ("tensorrt-llm@1.1",), "tensorrt-llm@1.0"),
    Group(VERSION, "tensorrt-llm@1.0", ("tensorrt-llm@1.0",), "tensorrt-llm@1.1"),
    # A new stack, or an old one under a name of its own, is what another one of its kind is.
    Group(STACK, "sglang@0.5", ("sglang@0.5",), "vllm@0.14"),
    Group(STACK, "sglang-rocm", ("sglang-rocm",), "vllm-rocm"),
    Group(STACK, "vllm-rocm", ("vllm-rocm",), "vllm@0.11"),
    Group(STACK, "vllm-2024-rocm", ("vllm-2024-rocm", "vllm-2024-rocm-cdna2"), "vllm-2024"),
    Group(STACK, "atom@0.1", ("atom@0.1",), "vllm-rocm"),
    Group(STACK, "vllm", ("vllm@0.11", "vllm@0.12", "vllm@0.14"), "tensorrt-llm@1.1"),
    Group(STACK, "tensorrt-llm", ("tensorrt-llm@1.0", "tensorrt-llm@1.1"), "vllm@0.14"),
    Group(STACK, "vllm-2024", ("vllm-2024",), "vllm@0.11"),
    Group(STACK, "tensorrt-llm-2023", ("tensorrt-llm-2023",), "tensorrt-llm@1.0"),
    Group(STACK, "lmdeploy", ("lmdeploy",), "vllm-2024"),
    Group(STACK, "fastertransformer", ("fastertransformer",), "tensorrt-llm-2023"),
    Group(STACK, "nanotron", ("nanotron",), "megatron-lm"),
    Group(STACK, "megatron-bridge", ("megatron-bridge",), "fsdp"),
    Group(STACK, "fsdp", ("fsdp",), "torchtitan"),
    Group(STACK, "torchtitan", ("torchtitan",), "fsdp"),
    Group(STACK, "megatron-lm-2022", ("megatron-lm-2022",), "nanotron"),
    Group(STACK, "megatron-lm", ("megatron-lm",), "fsdp"),
    Group(STACK, "megatron-lm-2025", ("megatron-lm-2025",), "fsdp"),
)
# What else is left out with a group.
PORTED = {"amd": [Group(STACK, "sglang-rocm", ("sglang-rocm",), "sglang@0.5"),
                  Group(STACK, "vllm-rocm", ("vllm-rocm",), "vllm@0.11"),
                  Group(STACK, "vllm-2024-rocm", ("vllm-2024-rocm", "vllm-2024-rocm-cdna2"),
                        "vllm-2024"),
                  Group(STACK, "atom@0.1", ("atom@0.1",), "vllm@0.14")]}


def members_of(group):
    """Devices and stacks of which nothing is known then."""
    of_devices = group.kind in OF_DEVICES
    devices = set(group.members) if of_devices else set()
    stacks = set() if of_devices else set(group.members)
    for ported in PORTED.get(group.name, ()):
        stacks |= set(ported.members)
    return devices, stacks


FITTED = ("calibrated", "measured")
NOT_FITTED = ("source", "kind", "note", "aliases", "title", "like", "released", "libraries")
SECTIONS = ("device", "framework", "library")


def is_value(node):
    """A value with its source, or a bare one; else a table of values."""
    return not isinstance(node, dict) or "value" in node


def fitted_paths(table, kind="", path=()):
    """Of values that were fitted to measurements."""
    kind = table.get("kind", kind) if not path or "value" not in table else kind
    for key, node in table.items():
        if key in NOT_FITTED:
            continue
        if is_value(node):
            own = node.get("kind", kind) if isinstance(node, dict) else kind
            if own in FITTED:
                yield (*path, key)
        else:
            yield from fitted_paths(node, kind, (*path, key))


def at(table, path):
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def put(table, path, node):
    """None: takes it away."""
    *folders, last = path
    for key in folders:
        table = table.setdefault(key, {"source": SOURCE, "kind": "assumed"})
    if node is None:
        table.pop(last, None)
    else:
        table[last] = node


def value_of(node):
    return node["value"] if isinstance(node, dict) and "value" in node else node


class Catalog:
    """The files of a folder as tables, of the sections that are changed."""

    def __init__(self, folder):
        self.files = {path.name: tomllib.loads(path.read_text("utf-8"))
                      for path in sorted(pathlib.Path(folder).glob("*.toml"))}

    def table(self, section):
        return {name: entry for file in self.files.values()
                for name, entry in file.get(section, {}).items()}

    def whole(self, section, name):
        """With what it takes over from the one that it is like."""
        entry = self.table(section)[name]
        if "like" not in entry:
            return entry
        found = overlaid(self.whole(section, value_of(entry["like"])), entry)
        del found["like"]
        return found


def overlaid(below, above):
    found = copy.deepcopy(below)
    for key, node in above.items():
        if key in found and not is_value(node) and not is_value(found[key]):
            found[key] = overlaid(found[key], node)
        else:
            found[key] = node
    return found


def assumed(node):
    """As somebody would write it who has it from a relative."""
    return {"value": value_of(node), "source": SOURCE, "kind": "assumed"}


def replace_device(catalog, name, paths, relative):
    entry = catalog.table("device")[name]
    other = catalog.whole("device", relative)
    for path in paths:
        node = at(other, path)
        if node is None and path[0] == "tensor_sustained" and at(entry, path) is not None:
            node = other["tensor_sustained"].get("fp8", other["tensor_sustained"]["bf16"])
        if path[0] == "tensor_sustained" and at(entry, path) is None:
            continue  # a format that it does not have
        put(entry, path, None if node is None else assumed(node))


def leave_devices_out(catalog, group):
    if not group.relative:
        return
    entries = catalog.table("device")
    paths = sorted({path for name in (*group.members, group.relative)
                    for path in fitted_paths(entries[name])})
    for name in group.members:
        replace_device(catalog, name, paths, group.relative)
    leave_libraries_out(catalog, group)


def leave_libraries_out(catalog, group):
    """A sibling's kernels are those of the relative; of a new architecture there are none. Entries
    of a device are named after it."""
    wholes = {name: catalog.whole("library", name) for name in catalog.table("library")}
    for file in catalog.files.values():
        for name in list(file.get("library", {})):
            device = value_of(wholes[name].get("device", ""))
            sibling = wholes.get(name.replace(device, group.relative)) if device else None
            if device not in group.members:
                file["library"][name] = wholes[name]  # may be like one that is left out
            elif group.kind == ARCHITECTURE or sibling is None:
                del file["library"][name]
            else:
                file["library"][name] = {**copy.deepcopy(sibling), "device": device}
    drop_names_without_entry(catalog)


def drop_names_without_entry(catalog):
    """Stacks name libraries that other devices alone have, or nobody any more."""
    known = {value_of(entry["library"]) for entry in catalog.table("library").values()}
    for entry in catalog.table("framework").values():
        if "libraries" in entry:
            named = entry["libraries"]
            names = [name for name in value_of(named) if name in known]
            entry["libraries"] = {**named, "value": names} if isinstance(named, dict) else names


def leave_stacks_out(catalog, group):
    """What was fitted to it is the relative's; the keys of the source code stay its own."""
    other = catalog.whole("framework", group.relative)
    for name in group.members:
        whole = catalog.whole("framework", name)
        entry = catalog.table("framework")[name]
        for path in {*fitted_paths(whole), *fitted_paths(other)}:
            node = at(other, path)
            if node is None and at(entry, path) is None and at(whole, path) is not None:
                continue  # from the one it is like, which says nothing better
            put(entry, path, None if node is None else assumed(node))


def toml_value(node):
    if isinstance(node, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml_value(v)}"
                                for k, v in node.items()) + " }"
    if isinstance(node, list):
        return "[" + ", ".join(map(toml_value, node)) + "]"
    return json.dumps(node, ensure_ascii=False) if not isinstance(node, float) else repr(node)


def written(file):
    """Entries with their tables inline."""
    sources = {**file.get("sources", {}), SOURCE: "of a relative"}
    lines = ["schema = 1", "", "[sources]"]
    lines += [f"{json.dumps(k)} = {toml_value(v)}" for k, v in sources.items()]
    for section, entries in file.items():
        if section in ("schema", "sources"):
            continue
        for name, entry in entries.items():
            lines += ["", f"[{section_of(section, name)}]"]
            lines += [f"{json.dumps(k)} = {toml_value(v)}" for k, v in entry.items()]
    return "\n".join(lines) + "\n"


def copy_without(catalog_folder, group, folder):
    catalog = Catalog(catalog_folder)
    if group.kind in OF_DEVICES:
        leave_devices_out(catalog, group)
    else:
        leave_stacks_out(catalog, group)
    for ported in PORTED.get(group.name, ()):
        leave_stacks_out(catalog, ported)
    for name, file in catalog.files.items():
        if any(section in file for section in SECTIONS):
            (folder / name).write_text(written(file), "utf-8")
        else:
            (folder / name).write_bytes((catalog_folder / name).read_bytes())


def case_files(program, cases):
    """As renew_uncertainties.sh has them."""
    script = pathlib.Path(__file__).parent / "renew_uncertainties.sh"
    return subprocess.run(["bash", script, program, cases, "--list"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.splitlines()


def predict(program, catalog, files, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        subprocess.run([program, "validate", file, "--catalog", catalog, "--predictions",
                        folder / pathlib.Path(file).name, "--json"], check=True,
                       stdout=subprocess.DEVNULL)


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, cases, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    root = pathlib.Path(__file__).resolve().parents[2]
    files = case_files(program, cases)
    wanted = sys.argv[4:]
    if not wanted or "all" in wanted:
        predict(program, root / "nodes", files, out / "all")
    for group in GROUPS:
        if wanted and group.name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as name:
            copied = pathlib.Path(name)
            copy_without(root / "nodes", group, copied)
            predict(program, copied, files, out / f"{group.kind}-{group.name}")
            print(group.kind, group.name, flush=True)


if __name__ == "__main__":
    main()
