"""Types that annotations and converters name, in the words of the tables."""
import ast

from reading.values import Member, Unknown, dotted

SIMPLE = {"int": "int", "float": "float", "str": "str", "bool": "bool", "None": "null",
          "dict": "dict", "Dict": "dict", "list": "list", "List": "list", "Sequence": "list",
          "tuple": "list", "Tuple": "list", "set": "list", "Set": "list", "Any": "any",
          "object": "any", "Path": "str", "PathLike": "str", "NonNegativeInt": "int",
          "PositiveInt": "int", "NonNegativeFloat": "float", "PositiveFloat": "float",
          "StrictBool": "bool", "StrictInt": "int", "StrictStr": "str", "Mapping": "dict",
          "FilePath": "str", "DirectoryPath": "str"}
WRAPPERS = {"Annotated", "Required", "NotRequired", "InitVar", "Final", "SkipValidation",
            "SerializeAsAny", "Suppress", "Positional"}


class Type:
    """Words (int, list, table, ...), the choices if nothing else is taken, classes with keys."""

    def __init__(self, words=(), choices=None, classes=(), item=None, enums=()):
        self.words = list(words)
        self.choices = choices  # None: no list of choices
        self.classes = list(classes)
        self.item = item        # of a list
        self.enums = list(enums)

    def text(self):
        words = []
        for word in self.words:
            if word == "list" and self.item is not None and self.item.words:
                word = f"list of {' or '.join(w for w in self.item.words if w != 'null')}"
            if word not in words:
                words.append(word)
        return "|".join(words)


def merged(parts):
    words, classes, enums, choices, item, is_open = [], [], [], [], None, False
    for part in parts:
        words += [w for w in part.words if w not in words]
        classes += [c for c in part.classes if c not in classes]
        enums += part.enums
        if part.choices is not None:
            choices += [c for c in part.choices if c not in choices]
        elif "str" in part.words or "any" in part.words:
            is_open = True  # Literal["a"] | str takes every word
        item = item or part.item
    is_closed = bool(choices) and not is_open
    return Type(words, choices if is_closed else None, classes, item, enums)


def of_choices(values):
    values = [v for v in values if v is not None]
    words = []
    for value in values:
        word = type(value).__name__
        if word not in words:
            words.append(word)
    return Type(words, list(dict.fromkeys(str(v) for v in values)))


def annotation(sources, node, near="", depth=0):
    """The Type that an annotation inside the class `near` stands for."""
    if depth > 12 or node is None:
        return Type(["any"])
    if isinstance(node, ast.Constant):
        if node.value is None:
            return Type(["null"])
        if isinstance(node.value, str):
            try:
                return annotation(sources, ast.parse(node.value, mode="eval").body, near, depth + 1)
            except SyntaxError:
                return Type(["any"])
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return merged([annotation(sources, side, near, depth + 1)
                       for side in (node.left, node.right)])
    if isinstance(node, ast.Subscript):
        return subscript(sources, node, near, depth)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return named(sources, node, near, depth)
    return Type(["any"])


def subscript(sources, node, near, depth):
    name = (dotted(node.value) or "").rpartition(".")[2]
    inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        try:
            values = sources.value(ast.Call(ast.Name("get_args"), [node], []))
        except Unknown:
            return Type(["str"])
        found = of_choices([v.value if isinstance(v, Member) else v for v in values])
        return merged([found, Type(["null"])]) if None in values else found
    if name == "Optional":
        return merged([annotation(sources, inside[0], near, depth + 1), Type(["null"])])
    if name == "Union":
        return merged([annotation(sources, each, near, depth + 1) for each in inside])
    if name in WRAPPERS:
        return annotation(sources, inside[0], near, depth + 1)
    if SIMPLE.get(name) == "list":
        return Type(["list"], item=annotation(sources, inside[0], near, depth + 1))
    if name in SIMPLE:
        return Type([SIMPLE[name]])
    return Type(["any"])


def named(sources, node, near, depth):
    name = dotted(node)
    found = sources.find_class(name, near)
    short = name.rpartition(".")[2]
    if found is None and short in SIMPLE:
        return Type([SIMPLE[short]])
    if found is None:
        if short in sources.constants:
            return annotation(sources, sources.constants[short], near, depth + 1)
        return Type([short])
    if sources.is_enum(found):
        return Type(["enum"], [m.name for m in sources.members(found)], enums=[found])
    return Type(["table"], classes=[found])
