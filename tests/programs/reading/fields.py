"""Fields of dataclasses and pydantic models, and what programs make of them: options, keys."""
import ast
from dataclasses import dataclass

from reading import annotations
from reading.rows import Row, default_text
from reading.values import Member, Unknown, dotted

NO_FIELD = {"ClassVar", "PrivateAttr"}


@dataclass
class Field:
    name: str
    annotation: object
    value: object   # the expression behind =, or None
    owner: str
    file: str
    line: int

    def call(self):
        """The call of field(...) or Field(...), or None."""
        found = [self.value] if isinstance(self.value, ast.Call) else []
        inner = self.annotation
        if isinstance(inner, ast.Subscript) and dotted(inner.value) == "Annotated":
            found += [e for e in inner.slice.elts if isinstance(e, ast.Call)]
        for call in found:
            if (dotted(call.func) or "").rpartition(".")[2] in ("field", "Field", "StateField"):
                return call
        return None

    def keyword(self, name):
        call = self.call()
        for keyword in call.keywords if call else []:
            if keyword.arg == name:
                return keyword.value
        return None


def ancestry(sources, name):
    """The class and those that it is made of, the oldest first."""
    found = []
    for base in reversed(sources.bases(name)):
        full = sources.find_class(base, name)
        if full and full != name:
            found += [c for c in ancestry(sources, full) if c not in found]
    return found + [name]


def fields(sources, name):
    """By name, those of older classes first."""
    found = {}
    for owner in ancestry(sources, name):
        file, node = sources.classes[owner]
        for each in node.body:
            if not isinstance(each, ast.AnnAssign) or not isinstance(each.target, ast.Name):
                continue
            if not is_no_field(each):
                found[each.target.id] = Field(each.target.id, each.annotation, each.value, owner,
                                              file, each.lineno)
    return {n: f for n, f in found.items() if not is_kept_inside(sources, f)}


def is_no_field(node):
    """Of the class itself, or private: ClassVar, _name, the model_config of pydantic."""
    head = node.annotation.value if isinstance(node.annotation, ast.Subscript) else node.annotation
    if (dotted(head) or "").rpartition(".")[2] in NO_FIELD or node.target.id.startswith("_"):
        return True
    return node.target.id == "model_config" and "ConfigDict" in ast.dump(node)


def is_kept_inside(sources, field):
    try:
        given = field.keyword("init")
        return given is not None and sources.value(given) is False
    except Unknown:
        return False


def default_of(sources, field, enums="names"):
    """(whether it must be given, its text)."""
    if field.value is None and field.keyword("default") is None \
            and field.keyword("default_factory") is None:
        return True, ""
    if isinstance(field.value, ast.Constant) and field.value.value is Ellipsis:
        return True, ""
    call = field.call()
    if call is not None and call is field.value:
        has_default = call.args or any(k.arg in ("default", "default_factory")
                                       for k in call.keywords)
        is_ellipsis = call.args and isinstance(call.args[0], ast.Constant) \
            and call.args[0].value is Ellipsis
        if not has_default or is_ellipsis:
            return True, ""
    try:
        value = sources.value(field.value if field.value is not None else call)
    except Unknown:
        return False, ""
    if isinstance(value, Member):
        value = value.name if enums == "names" else value.value
    return False, default_text(value)


def other_names(sources, field):
    found = []
    for keyword in ("alias", "validation_alias"):
        node = field.keyword(keyword)
        for part in ast.walk(node) if node is not None else []:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                found.append(part.value)
    return found


class Keys:
    """Dotted keys of a configuration that is a class of classes."""

    def __init__(self, sources, enums="names", optional=False, leaves=()):
        self.sources = sources
        self.leaves = set(leaves)  # fields whose own fields are left out
        self.enums = enums        # how values of enumerations are given: names or values
        self.optional = optional  # whether fields without a default may stay away (overrides)
        self.rows = []

    def read(self, prefix, name, around=()):
        full = self.sources.find_class(name)
        if full is None:
            raise Unknown(f"class {name}")
        if full in around or len(around) > 6:
            return
        hidden = not_overridable(self.sources, full)
        for field in fields(self.sources, full).values():
            if field.name in hidden:
                continue
            self.read_field(prefix, field, around + (full,))

    def read_field(self, prefix, field, around):
        kind = annotations.annotation(self.sources, field.annotation, field.owner)
        is_required, default = default_of(self.sources, field, self.enums)
        names = [prefix + n for n in [field.name] + other_names(self.sources, field)]
        key = "key required" if is_required and not self.optional else "key"
        self.rows.append(Row(names, key, kind.text(), choices_of(self.sources, kind, self.enums),
                             default, f"{field.file}:{field.line}"))
        for inner in kind.classes if field.name not in self.leaves else ():
            self.read(names[0] + ".", inner, around)


def not_overridable(sources, name):
    """Fields that a class leaves out of what it says of itself, to_cfg_dict of Megatron-Bridge."""
    found = set()
    for owner in ancestry(sources, name):
        for method in sources.classes[owner][1].body:
            if not isinstance(method, ast.FunctionDef) or method.name != "to_cfg_dict":
                continue
            for each in ast.walk(method):
                if isinstance(each, ast.Compare) and (dotted(each.left) or "").endswith(".name") \
                        and isinstance(each.comparators[0], ast.Constant):
                    found.add(each.comparators[0].value)
    return found


def choices_of(sources, kind, enums):
    if kind.choices is None or not kind.enums or enums == "names":
        return kind.choices
    found = []
    for name in kind.enums:
        found += [str(m.value) for m in sources.members(name)]
    literal = [c for c in kind.choices
               if not any(c == m.name for e in kind.enums for m in sources.members(e))]
    return list(dict.fromkeys(found + literal))


def megatron_rows(sources, name, exclude):
    """Options that the argument factory of Megatron-LM makes of a class."""
    rows = []
    for field in fields(sources, name).values():
        if field.name in exclude:
            continue
        meta = metadata(sources, field).get("argparse_meta") or {}
        kind = annotations.annotation(sources, field.annotation, field.owner)
        _, default = default_of(sources, field)
        row = Row(["--" + field.name.replace("_", "-")], "value", kind.text().removesuffix("|null"),
                  kind.choices, default, f"{field.file}:{field.line}")
        if kind.words[:1] == ["bool"]:
            row.kind = "switch"
            row.type = ""
            if default != "False":
                row.names = ["--no-" + row.names[0][2:], "--disable-" + row.names[0][2:]]
        elif kind.words[:1] == ["list"]:
            row.kind = "list"
            row.type = kind.item.text() if kind.item else ""
            row.choices = kind.item.choices if kind.item else None
        row.names = meta.get("arg_names") or row.names
        if "nargs" in meta:
            row.kind = arity(meta["nargs"])
        if "default" in meta:
            row.default = default_text(meta["default"])
        if "choices" in meta:
            row.choices = [str(c) for c in meta["choices"] or []] or None
        if "type" in meta:
            row.type = meta["type"] or "other"
        rows.append(row)
    return rows


def metadata(sources, field):
    node = field.keyword("metadata")
    if node is None:
        return {}
    try:
        return sources.value(node)
    except Unknown:
        return {}


def arity(nargs):
    if nargs is None:
        return "value"
    if nargs == "?":
        return "optional"
    if nargs in ("+", "*"):
        return "list"
    return f"{nargs} values"


def vllm_row(sources, names, field):
    """The options that vLLM makes of a field: one, or two for a switch."""
    kind = annotations.annotation(sources, field.annotation, field.owner)
    is_required, default = default_of(sources, field)
    place = f"{field.file}:{field.line}"
    words = [w for w in kind.words if w != "null"]
    if "table" in words:
        return [Row(names, "value", "json", None, default, place)]
    if "bool" in words and words != ["bool", "str"]:
        negative = ["--no-" + n[2:] for n in names if n.startswith("--")]
        return [Row(names, "switch", "", None, default, place),
                Row(negative, "switch", "", None, "", place)]
    row = Row(names, "value", "str", None, default, place)
    if words == ["bool", "str"]:
        row.kind = "optional"
    elif kind.choices is not None and not kind.enums:
        row.type = words[0]
        row.choices = kind.choices + (["None"] if "null" in kind.words else [])
    elif "list" in words:
        row.kind = "list"
        item = kind.item or annotations.Type(["str"])
        row.type = item.words[0] if item.words[:1] in (["int"], ["float"]) else "str"
        row.choices = item.choices if not item.enums else None
    elif "int" in words:
        row.type = "size" if field.name in SIZES else "int"
    elif "float" in words:
        row.type = "float"
    elif words == ["dict"]:
        row.type = "json"
    return [row]


# Counts that vLLM takes with k, K, m, M, ... behind them as well.
SIZES = {"max_model_len", "max_num_batched_tokens", "max_num_scheduled_tokens",
         "kv_cache_memory_bytes", "safetensors_prefetch_block_size"}
