"""Options of argparse and click, from the calls that add them."""
import ast

from reading import fields
from reading.rows import Row, default_text
from reading.values import Evaluation, Member, Unknown, dotted

SWITCHES = {"store_true", "store_false", "store_const", "count", "help", "version"}
CLICK_TYPES = {"INT": "int", "FLOAT": "float", "STRING": "str", "BOOL": "bool", "IntRange": "int",
               "FloatRange": "float", "Path": "str", "File": "str", "Choice": "str", "int": "int",
               "float": "float", "str": "str", "bool": "bool"}


class Unread:
    def __init__(self, place, text):
        self.place = place
        self.text = text


class ArgumentCalls:
    """Walks one file; in loops over values that the text tells, one call is several."""

    def __init__(self, sources, file, skip=()):
        self.sources = sources
        self.file = file
        self.skip = set(skip)  # functions that are left out
        self.rows = []
        self.unread = []
        self.kwargs = {}   # name: class, of X = get_kwargs(Class)
        self.lists = {}    # name: expression, of the function around
        self.open = set()  # kwargs["name"] whose choices were changed

    def read(self):
        self.walk(self.sources.trees[self.file], {})
        return self

    def walk(self, node, names):
        if isinstance(node, ast.FunctionDef):
            if node.name in self.skip:
                return
            self.lists = {}
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            self.assign(node.targets[0].id, node.value)
        if isinstance(node, ast.For) and self.loop(node, names):
            return
        self.patch(node)
        if isinstance(node, ast.Call):
            self.call(node, names)
        for child in ast.iter_child_nodes(node):
            self.walk(child, names)

    def assign(self, name, value):
        self.lists[name] = value
        if isinstance(value, ast.Call) and dotted(value.func) == "get_kwargs" and value.args:
            self.kwargs[name] = dotted(value.args[0])
        elif isinstance(value, ast.Subscript) and dotted(value.value) in self.kwargs:
            self.kwargs[name] = value  # one = kwargs["name"]

    def loop(self, node, names):
        targets = [node.target]
        if isinstance(node.target, ast.Tuple):
            targets = node.target.elts
        if not all(isinstance(target, ast.Name) for target in targets):
            return False
        iterated = node.iter
        if isinstance(iterated, ast.Name) and iterated.id in self.lists:
            iterated = self.lists[iterated.id]
        try:
            values = Evaluation(self.sources, names, lenient=True).of(iterated)
        except Unknown:
            return False
        for value in values:
            found = [value] if len(targets) == 1 else value
            for child in node.body:
                self.walk(child, {**names, **{t.id: v for t, v in zip(targets, found)}})
        return True

    def patch(self, node):
        """Choices of a field that are not its own: kwargs["name"]["choices"] += ..."""
        target = getattr(node, "target", None)
        if isinstance(node, ast.AugAssign) and isinstance(target, ast.Subscript) \
                and isinstance(target.slice, ast.Constant) and target.slice.value == "choices":
            self.open.add(ast.dump(target.value))

    def call(self, node, names):
        name = dotted(node.func) or ""
        if name.endswith("ArgumentGroupFactory"):
            self.factory(node)
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument":
            try:
                self.add(node, names)
            except Unknown as problem:
                self.unread.append(Unread(f"{self.file}:{node.lineno}", str(problem)))

    def factory(self, node):
        exclude = []
        for keyword in node.keywords:
            if keyword.arg == "exclude":
                value = keyword.value
                if isinstance(value, ast.Name) and value.id in self.lists:
                    value = self.lists[value.id]
                exclude = self.sources.value(value)
        found = self.sources.find_class(dotted(node.args[0]))
        if found is None:
            self.unread.append(Unread(f"{self.file}:{node.lineno}", dotted(node.args[0])))
            return
        self.rows += fields.megatron_rows(self.sources, found, exclude)

    def value(self, node, names):
        return self.sources.value(node, names)

    def option_names(self, node, names):
        found = [self.value(a, names) for a in node.args if not isinstance(a, ast.Starred)]
        for given in found:
            if not isinstance(given, str):
                raise Unknown("name")
        return [n for n in found if n.startswith("-")]

    def add(self, node, names):
        options = self.option_names(node, names)
        if not options:
            return
        options.sort(key=lambda n: not n.startswith("--"))
        given = {k.arg: k.value for k in node.keywords if k.arg}
        field = None
        for keyword in node.keywords:
            if keyword.arg is None:
                field = self.given_field(keyword.value)
        if field is not None:
            found = fields.vllm_row(self.sources, options, field)
            if any(k.arg is None and ast.dump(k.value) in self.open for k in node.keywords):
                found[0].choices = None
            self.rows += found
            return
        self.rows += self.plain(node, options, given, names)

    def given_field(self, node):
        """The field of **x_kwargs["name"], also in **{**...} and by a name for it."""
        if isinstance(node, ast.Dict):
            inner = [v for k, v in zip(node.keys, node.values) if k is None]
            return self.given_field(inner[0]) if inner else None
        if isinstance(node, ast.Name) and isinstance(self.kwargs.get(node.id), ast.Subscript):
            return self.given_field(self.kwargs[node.id])
        if not isinstance(node, ast.Subscript):
            raise Unknown("** of " + (dotted(node) or "?"))
        owner = self.kwargs.get(dotted(node.value))
        found = owner and self.sources.find_class(owner)
        name = self.value(node.slice, {})
        if not found:
            raise Unknown(f"class {owner}")
        known = fields.fields(self.sources, found)
        if name not in known:
            raise Unknown(f"{owner}.{name}")
        return known[name]

    def plain(self, node, options, given, names):
        place = f"{self.file}:{node.lineno}"
        action = self.text_of(given.get("action"), names)
        kind = converter(self.sources, given.get("type"))
        row = Row(options, "value", "other" if kind in names else kind, None,
                  self.default(given.get("default"), names), place)
        if "choices" in given:
            row.choices = self.choices(given["choices"], names)
        if self.tolerant(given.get("required"), names) is True:
            row.kind = "value required"
        if action == "BooleanOptionalAction":
            negative = ["--no-" + n[2:] for n in options if n.startswith("--")]
            return [Row(options, "switch", "", None, row.default, place),
                    Row(negative, "switch", "", None, "", place)]
        if action in SWITCHES or takes_nothing(self.sources, action):
            row.kind, row.type = "switch", ""
        elif action in ("append", "extend"):
            row.kind = "repeated"
        elif "nargs" in given:
            count = fields.arity(self.tolerant(given["nargs"], names))
            row.kind = count + (" required" if row.is_required() else "")
        return [row]

    def text_of(self, node, names):
        if node is None:
            return ""
        if isinstance(node, (ast.Name, ast.Attribute)):
            return dotted(node).rpartition(".")[2]
        return str(self.tolerant(node, names))

    def tolerant(self, node, names):
        if node is None:
            return None
        try:
            return self.value(node, names)
        except Unknown:
            return None

    def default(self, node, names):
        value = self.tolerant(node, names)
        return default_text(value.name if isinstance(value, Member) else value)

    def choices(self, node, names):
        value = self.tolerant(node, names)
        if not isinstance(value, (list, dict)):
            return None
        return [str(v.name if isinstance(v, Member) else v) for v in value]


def patched(tree, found):
    """Changes of what is made of fields: x["name"]["type"] = ..., del x["name"]["nargs"]."""
    for node in ast.walk(tree):
        targets = getattr(node, "targets", [])
        target = targets[0] if isinstance(node, (ast.Assign, ast.Delete)) and targets else None
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Subscript):
            continue
        words = [s.value for s in (target.value.slice, target.slice) if isinstance(s, ast.Constant)]
        row = found.get(words[0]) if len(words) == 2 else None
        if row is None:
            continue
        if isinstance(node, ast.Delete) and words[1] == "nargs" and row.kind == "list":
            row.kind = "value"
        elif isinstance(node, ast.Assign) and words[1] == "type":
            row.type = converter(None, node.value)
        elif isinstance(node, ast.Assign) and words[1] == "action":
            is_append = isinstance(node.value, ast.Constant) and node.value.value == "append"
            row.kind = "repeated" if is_append else row.kind


def takes_nothing(sources, action):
    """Whether a class for action= has nargs=0 of its own."""
    found = action and sources.find_class(action)
    for method in sources.classes[found][1].body if found else ():
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            arguments = method.args
            names = arguments.args[-len(arguments.defaults):] if arguments.defaults else []
            given = list(zip(names, arguments.defaults))
            given += list(zip(arguments.kwonlyargs, arguments.kw_defaults))
            return any(a.arg == "nargs" and isinstance(d, ast.Constant) and d.value == 0
                       for a, d in given)
    return False


def converter(sources, node):
    """The word of type=...; other for one of the program's own."""
    if node is None:
        return "str"
    name = (dotted(node) or "").rpartition(".")[2]
    if name in ("int", "float", "str", "bool"):
        return name
    if name == "loads":
        return "json"
    if name.startswith("human_readable_int"):
        return "size"
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("nullable_str"):
        return "str"
    return name or "other"


class ClickOptions:
    """Decorators and calls of click.option, and those of helpers that take the same."""

    def __init__(self, sources, file, functions=()):
        self.sources = sources
        self.file = file
        self.functions = set(functions)  # whose decorators are read; empty: all
        self.rows = []
        self.unread = []

    def read(self):
        for node in ast.walk(self.sources.trees[self.file]):
            if not isinstance(node, ast.FunctionDef):
                continue
            if self.functions and node.name not in self.functions:
                continue
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else None
                if called is not None and (dotted(called) or "").endswith("option"):
                    self.option(decorator)
        return self

    def option(self, node):
        try:
            names = [self.sources.value(a) for a in node.args]
        except Unknown as problem:
            self.unread.append(Unread(f"{self.file}:{node.lineno}", str(problem)))
            return
        given = {k.arg: k.value for k in node.keywords if k.arg}
        place = f"{self.file}:{node.lineno}"
        options = [n for n in names if n.startswith("-")]
        for option in options:
            if "/" in option:  # --on/--off
                self.rows += [Row([n.strip()], "switch", "", None, "", place)
                              for n in option.split("/")]
                return
        options.sort(key=lambda n: not n.startswith("--"))
        kind, choices = self.type_of(given.get("type"))
        row = Row(options, "value", kind, choices, self.default(given.get("default")), place)
        if self.is_true(given.get("is_flag")) or self.is_true(given.get("count")):
            row.kind, row.type = "switch", ""
        elif self.is_true(given.get("multiple")):
            row.kind = "repeated"
        elif "nargs" in given:
            row.kind = fields.arity(self.sources.value(given["nargs"]))
        if self.is_true(given.get("required")):
            row.kind += " required"
        self.rows.append(row)

    def is_true(self, node):
        try:
            return node is not None and self.sources.value(node) is True
        except Unknown:
            return False

    def default(self, node):
        try:
            return "" if node is None else default_text(self.sources.value(node))
        except Unknown:
            return ""

    def type_of(self, node):
        if node is None:
            return "str", None
        target = node.func if isinstance(node, ast.Call) else node
        name = (dotted(target) or "").rpartition(".")[2]
        if not isinstance(node, ast.Call) or "Choice" not in name or not node.args:
            return CLICK_TYPES.get(name, name), None
        try:  # further arguments are other words for some of them
            choices = [str(getattr(v, "value", v))
                       for a in node.args for v in self.sources.value(a)]
        except Unknown:
            choices = None
        return "str", choices


class ComparedOptions:
    """Options that a program finds itself: those that it asks words to start with or to be."""

    def __init__(self, sources, file):
        self.sources = sources
        self.file = file
        self.rows = []
        self.unread = []

    def read(self):
        found = {}
        for node in ast.walk(self.sources.trees[self.file]):
            if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith(".startswith"):
                word = node.args[0]
                if isinstance(word, ast.Constant) and str(word.value).startswith("--"):
                    found.setdefault(word.value.rstrip("="), node.lineno)
        self.rows = [Row([name], "value", "str", None, "", f"{self.file}:{line}")
                     for name, line in found.items() if name != "--"]
        return self


def keys_of_dictionary(sources, owner, name):
    """(keys, line) of `name = {...}` anywhere in a class."""
    for node in ast.walk(sources.classes[owner][1]):
        if isinstance(node, ast.Assign) and dotted(node.targets[0]) == name \
                and isinstance(node.value, ast.Dict):
            return [sources.value(k) for k in node.value.keys], node.lineno
    raise Unknown(f"dictionary {name} of {owner}")
