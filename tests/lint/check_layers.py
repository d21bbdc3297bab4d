#!/usr/bin/env python3
"""Compares includes and CMake dependencies with the layer table of src/README.md.

    check_layers.py [ROOT]

Prints one line per violation and exits 1 if there is one. What is checked:
- the table itself: known folders, arrows downwards, no cycle;
- every `#include "..."` under src/ and analysis/ is along an edge of the table (transitively);
- `DEPENDS` of every scalesweep_add_layer equals the row of its folder;
- every .cpp of a folder is in the folder's CMakeLists.txt or, of a kind of work, in its file of
  src/kinds, and the other way round;
- mpi.h is included in src/engine_mpi only;
- no unit (a header and the source of its name) needs itself by way of others of its layer: types
  stand in headers of their own, below what uses them;
- no folder below src/ and in analysis/ holds more than 18 names, its README not counted;
- no more than 130 sources see the numbers of a software stack, 275 those of a transformer: one more
  number compiles them again.

A layer is named as includes write its folder: `src/core` is core, `analysis/words` is
analysis/words. What a file includes belongs to the layer with the longest name that fits.
"""
import re
import sys
from pathlib import Path

ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*`([\w/]+)`\s*\|[^|]*\|\s*([^|]*?)\s*\|\s*$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')
KIND_CALL = re.compile(r"scalesweep_kind_sources\s*\(\s*([\w/]+)([^)]*)\)")
LAYER_CALL = re.compile(r"scalesweep_add_layer\s*\(([^)]*)\)", re.DOTALL)
KEYWORDS = {"SOURCES", "DEPENDS", "LIBRARIES", "APART"}
MPI_FOLDER = "engine_mpi"
MOST_NAMES = 18
MOST_SOURCES = {"workload/framework.hpp": 120, "workload/**/*_stack.hpp": 130,
                "workload/model.hpp": 275}


class Layer:
    def __init__(self, name, folder, level, uses):
        self.name = name
        self.folder = folder
        self.level = level
        self.uses = uses  # names, as the table lists them


def read_table(readme):
    """Layers by name, in the order of the table; "all" is every row of a lower level."""
    layers = {}
    for line in readme.read_text(encoding="utf-8").splitlines():
        match = ROW.match(line)
        if not match:
            continue
        level, folder, uses = match.groups()
        name = folder.removeprefix("src/")
        names = [] if uses in ("–", "-", "") else [use.strip() for use in uses.split(",")]
        layers[name] = Layer(name, folder, int(level), names)
    for layer in layers.values():
        if layer.uses == ["all"]:
            layer.uses = [o.name for o in layers.values() if o.level < layer.level]
    return layers


def check_table(layers):
    for layer in layers.values():
        for use in layer.uses:
            if use not in layers:
                yield f"src/README.md: {layer.name} may use '{use}', which is no row of the table"
            elif layers[use].level > layer.level:
                yield f"src/README.md: {layer.name} (layer {layer.level}) may use {use} " \
                      f"(layer {layers[use].level}): arrows point downwards only"
    for cycle in find_cycles({layer.name: layer.uses for layer in layers.values()}):
        yield "src/README.md: layers form a cycle: " + " -> ".join(cycle)


def reachable(layers, name):
    """The layer itself and all that it may use, directly or not."""
    seen, todo = set(), [name]
    while todo:
        current = todo.pop()
        if current not in seen and current in layers:
            seen.add(current)
            todo.extend(layers[current].uses)
    return seen


def find_cycles(graph):
    """One cycle per strongly connected knot, as a list that ends where it began."""
    state, path = {}, []

    def visit(node):
        state[node] = "open"
        path.append(node)
        for follower in graph.get(node, ()):
            if state.get(follower) == "open":
                yield path[path.index(follower):] + [follower]
            elif follower not in state:
                yield from visit(follower)
        path.pop()
        state[node] = "done"

    for start in sorted(graph):
        if start not in state:
            yield from visit(start)


def layer_of(layers, name):
    """The layer of a path as includes write it, or None."""
    folders = [str(folder) for folder in Path(name).parents]  # the longest first
    return next((layers[folder] for folder in folders if folder in layers), None)


def sources_of(root, layers, layer, suffixes=("*.hpp", "*.cpp")):
    """Those of the folder and of its folders that are no layers themselves."""
    base = root / layer.folder
    return sorted(path for suffix in suffixes for path in base.rglob(suffix)
                  if layer_of(layers, f"{layer.name}/{path.relative_to(base)}") is layer)


def includes_of(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1) == '"', match.group(2)


def check_includes(root, layers):
    for layer in layers.values():
        allowed = reachable(layers, layer.name)
        for path in sources_of(root, layers, layer):
            here = path.relative_to(root)
            for number, quoted, name in includes_of(path):
                if name == "mpi.h" and layer.name != MPI_FOLDER:
                    yield f"{here}:{number}: mpi.h belongs to src/{MPI_FOLDER} only"
                if not quoted or name == "mpi.h":
                    continue
                other = layer_of(layers, name)
                if other is None:
                    yield f'{here}:{number}: write #include "layer/{name}", with a folder of the ' \
                          "layer table"
                    continue
                if other.name not in allowed:
                    yield f"{here}:{number}: {layer.name} may not include {name}; it may use " \
                          + (", ".join(sorted(allowed - {layer.name})) or "nothing")
                target = Path(other.folder) / name.removeprefix(f"{other.name}/")
                if not (root / target).exists():
                    yield f"{here}:{number}: {target} does not exist"


def unit_of(path):
    """A header and the source of its name are one unit."""
    return str(path.with_suffix(""))


def knots(graph):
    """Sets of two or more nodes that all reach each other."""
    def reached_from(start):
        seen, todo = set(), [start]
        while todo:
            for follower in graph.get(todo.pop(), ()):
                if follower not in seen:
                    seen.add(follower)
                    todo.append(follower)
        return seen

    reached = {node: reached_from(node) for node in graph}
    left = sorted(graph)
    while left:
        node = left.pop(0)
        knot = {other for other in left if other in reached[node] and node in reached[other]}
        if knot:
            left = [other for other in left if other not in knot]
            yield sorted(knot | {node})


def check_units(root, layers):
    for layer in layers.values():
        graph = {}
        for path in sources_of(root, layers, layer):
            unit = unit_of(path.relative_to(root))
            needed = graph.setdefault(unit, set())
            for _, quoted, name in includes_of(path):
                if quoted and layer_of(layers, name) is layer:
                    other = unit_of(Path(layer.folder) / name.removeprefix(layer.name + "/"))
                    if other != unit:
                        needed.add(other)
        for knot in knots(graph):
            yield f"{layer.folder}: units that need each other: " + ", ".join(knot)


def check_folders(root):
    for top in (root / "src", root / "analysis"):
        folders = [path for path in top.rglob("*") if path.is_dir()] if top.exists() else []
        if top.name == "analysis" and top.exists():
            folders.append(top)
        for folder in sorted(folders):
            names = sum(1 for name in folder.iterdir()
                        if name.name not in ("__pycache__", "README.md"))
            here = str(folder.relative_to(root))
            if names > MOST_NAMES:
                yield f"{here}: {names} names in one folder; at most " \
                      f"{MOST_NAMES}, so that a listing shows what belongs together"


def included_by(root, path, known):
    """Files of the tree that a file includes, by `known` once it was asked for."""
    if path not in known:
        places = (path.parent, root / "src", root, root / "tests", root / "tests" / "support")
        found = set()
        for _, quoted, name in includes_of(path):
            files = [place / name for place in places if quoted and (place / name).is_file()]
            found.update(file.resolve() for file in files[:1])
        known[path] = found
    return known[path]


def check_reach(root):
    root = root.resolve()
    known, sources = {}, {}
    for source in (path for top in ("src", "analysis", "tests")
                   for path in (root / top).rglob("*.cpp")):
        seen, todo = set(), [source]
        while todo:
            more = included_by(root, todo.pop(), known) - seen
            seen |= more
            todo.extend(more)
        for header in seen:
            sources[header] = sources.get(header, 0) + 1
    for pattern, most in MOST_SOURCES.items():
        for header in sorted((root / "src").glob(pattern)):
            if sources.get(header, 0) > most:
                yield f"{header.relative_to(root)}: {sources[header]} sources see it; at most " \
                      f"{most}: declare its types where a header only names them"


def parse_layer_call(text):
    """(name, {keyword: [words]}) of a scalesweep_add_layer call, or None."""
    match = LAYER_CALL.search(re.sub(r"#[^\n]*", "", text))
    if not match:
        return None
    words = match.group(1).split()
    parts, keyword = {}, None
    for word in words[1:]:
        if word in KEYWORDS:
            keyword = word
        elif keyword:
            parts.setdefault(keyword, []).append(word)
    return words[0], parts


def sources_of_kinds(root):
    """By layer, what kinds of work name of its folder, each with the file that names it."""
    named = {}
    for listing in sorted((root / "src" / "kinds").glob("*.cmake")):
        text = re.sub(r"#[^\n]*", "", listing.read_text(encoding="utf-8"))
        for layer, words in KIND_CALL.findall(text):
            named.setdefault(layer, {}).update(
                (word, listing.relative_to(root)) for word in words.split() if word != "APART")
    return named


def check_cmake(root, layers):
    of_kinds = sources_of_kinds(root)
    for layer in layers.values():
        listing = root / layer.folder / "CMakeLists.txt"
        here = listing.relative_to(root)
        if not listing.exists():
            yield f"{here} does not exist"
            continue
        text = listing.read_text(encoding="utf-8")
        call = parse_layer_call(text)
        if call is None:
            yield f"{here}: calls scalesweep_add_layer nowhere"
            continue
        name, parts = call
        if name != layer.name:
            yield f"{here}: adds layer '{name}' instead of '{layer.name}'"
        depends = set(parts.get("DEPENDS", []))
        if depends != set(layer.uses):
            yield f"{here}: DEPENDS {' '.join(sorted(depends)) or 'nothing'}, but src/README.md " \
                  f"says {', '.join(sorted(layer.uses)) or 'nothing'}"
        folder = root / layer.folder
        on_disk = {str(p.relative_to(folder))
                   for p in sources_of(root, layers, layer, ["*.cpp"])}
        named = set(re.findall(r"(?<![\w}/])[\w/]+\.cpp\b", re.sub(r"#[^\n]*", "", text)))
        by_kind = of_kinds.get(layer.name, {})
        for missing in sorted(on_disk - named - set(by_kind)):
            yield f"{here}: does not name {missing}"
        for gone in sorted(set(by_kind) - on_disk):
            yield f"{by_kind[gone]}: names {gone}, which {layer.folder} does not have"
        for gone in sorted(named - on_disk):
            yield f"{here}: names {gone}, which does not exist"


def violations(root):
    layers = read_table(root / "src" / "README.md")
    if not layers:
        yield "src/README.md: no layer table found"
        return
    yield from check_table(layers)
    yield from check_includes(root, layers)
    yield from check_cmake(root, layers)
    yield from check_units(root, layers)
    yield from check_folders(root)
    yield from check_reach(root)
    for place in ("src", "analysis"):
        for path in sorted((root / place).rglob("*.[ch]pp")):
            here = path.relative_to(root)
            if layer_of(layers, str(here).removeprefix("src/")) is None:
                yield f"{here}: in no folder of the layer table of src/README.md"


def main(arguments):
    root = Path(arguments[1]) if len(arguments) > 1 else Path(__file__).resolve().parents[2]
    found = list(violations(root))
    for line in found:
        print(line)
    print(f"{len(found)} violations of the layer table" if found else "layers follow the table")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
