"""Compares an HDF5 file with the tables of FORMAT.md, both ways.

check_format.py FORMAT.md SECTION FILE [--every]

SECTION is the text before the table. Everything in FILE must be documented there with its type;
everything documented as present "always" must be in FILE, with --every all that is documented, but
for what is there only "by segments" in a file that is not.
"""

import re
import sys

import h5py


def documented(text, section):
    """Rows of the first table after `section`: {object: (type, present)}."""
    rows = {}
    for line in text[text.index(section) :].splitlines()[1:]:
        cells = re.match(r"\| `([^`]+)` \| ([^|]+) \| ([^|]+) \|", line)
        if cells:
            rows[cells[1]] = (cells[2].strip(), cells[3].strip())
        elif rows:
            break
    return rows


def pattern(name):
    return re.compile(re.sub(r"<\w+>", r"\\w+", name))


def type_of_data(dtype, shape, space_is_scalar):
    text = h5py.check_string_dtype(dtype)
    if text is not None:
        word = "text" if text.length is None else "fixed text"
        return word if space_is_scalar else word + "s"
    if h5py.check_ref_dtype(dtype) or h5py.check_vlen_dtype(dtype) or dtype.names:
        return "references"
    word = {"<i8": "i64", "<f8": "f64", "|u1": "place", "<i4": "place"}.get(dtype.str, dtype.str)
    return word if space_is_scalar else word + "s"


def type_of_node(node):
    if isinstance(node, h5py.Group):
        return "group"
    return "named type" if isinstance(node, h5py.Datatype) else type_of_dataset(node)


def type_of_dataset(dataset):
    if dataset.is_virtual:
        return "column"
    if dataset.chunks is None:
        return type_of_data(dataset.dtype, dataset.shape, dataset.shape == ())
    filters = (dataset.shuffle, dataset.compression, dataset.fletcher32)
    assert filters == (True, "gzip", True), f"{dataset.name} has the filters {filters}"
    assert dataset.ndim == 1 and dataset.dtype.str in ("<f8", "<f4", "<i8", "<i4", "|u1")
    return "column"


def contents(file):
    """{object: type} of all groups, datasets and attributes."""
    found = {}

    def visit(name, node):
        path = "/" + name
        if name:
            found[path] = type_of_node(node)
        for attribute in node.attrs:
            held = node.attrs.get_id(attribute)
            scalar = held.get_space().get_simple_extent_type() == h5py.h5s.SCALAR
            found[f"{path}@{attribute}"] = type_of_data(held.dtype, held.shape, scalar)

    visit("", file)
    file.visititems(visit)
    return found


def main():
    document, section, path = sys.argv[1:4]
    rows = documented(open(document, encoding="utf-8").read(), section)
    assert rows, f"no table after {section!r}"
    problems = []
    unseen = set(rows)
    with h5py.File(path) as file:
        found = contents(file)
    for name, kind in sorted(found.items()):
        # A plain name of the document goes before a placeholder.
        fitting = [row for row in rows if pattern(row).fullmatch(name)]
        if name in rows:
            fitting = [name]
        unseen -= set(fitting)
        if not fitting:
            problems.append(f"{name} ({kind}) is in the file, but not in the document")
        elif kind not in [rows[row][0] for row in fitting]:
            problems.append(f"{name} is {kind}, but documented as {rows[fitting[0]][0]}")
    by_segments = "/@layout" in found
    for row in sorted(unseen):
        if rows[row][1] == "by segments" and not by_segments:
            continue
        if rows[row][1] == "always" or "--every" in sys.argv:
            problems.append(f"{row} is in the document, but not in the file")
    print("\n".join(problems) or f"{len(found)} objects are as documented")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
