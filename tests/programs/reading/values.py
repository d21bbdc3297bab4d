"""Values of expressions as far as their text tells them."""
import ast
import operator


class Unknown(Exception):
    """What is not told by the text that was read."""


OPERATIONS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
              ast.Pow: operator.pow, ast.Div: operator.truediv, ast.FloorDiv: operator.floordiv,
              ast.LShift: operator.lshift}
SEQUENCES = {"list": list, "tuple": list, "sorted": sorted, "set": list, "frozenset": list}
ENUMS = {"Enum", "IntEnum", "StrEnum", "EnumMeta"}


def dotted(node):
    """`a.b.c` of names and attributes; None of anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return None if left is None else f"{left}.{node.attr}"
    return None


class Member:
    """One value of an enumeration."""

    def __init__(self, name, value):
        self.name = name
        self.value = value


class Sources:
    """Names that files give: constants and classes, those inside classes as Outer.Inner."""

    def __init__(self):
        self.constants = {}  # name: expression
        self.classes = {}    # name: (file, class); of a name that is there already, name@file
        self.trees = {}      # file: tree
        self.imports = {}    # file: {name: (module, name there)}

    def add(self, file, text):
        tree = ast.parse(text)
        self.trees[file] = tree
        self.imports[file] = imported(tree)
        for node in conditional(tree.body):
            if isinstance(node, ast.ClassDef):
                self.add_class(file, node, node.name)
            elif isinstance(node, ast.Assign) and len(node.targets) == 1:
                if isinstance(node.targets[0], ast.Name):
                    self.constants.setdefault(node.targets[0].id, node.value)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                if isinstance(node.target, ast.Name):
                    self.constants.setdefault(node.target.id, node.value)

    def add_class(self, file, node, name):
        key = name if name not in self.classes else f"{name}@{file}"
        self.classes[key] = (file, node)
        for inner in node.body:
            if isinstance(inner, ast.ClassDef):
                self.add_class(file, inner, f"{name}.{inner.name}")

    def in_file(self, name, file):
        """The key of a class of that file, or None."""
        for key in (f"{name}@{file}", name):
            if key in self.classes and self.classes[key][0] == file:
                return key
        return None

    def find_class(self, name, near=""):
        """The key of a class by the name that it has inside the class `near`, or None."""
        outer = near.partition("@")[0]
        file = self.classes[near][0] if near in self.classes else ""
        while outer:
            found = self.in_file(f"{outer}.{name}", file)
            if found and found != near:
                return found
            outer = outer.rpartition(".")[0]
        found = self.in_file(name, file)
        if found and found != near:
            return found
        head, dot, rest = name.partition(".")
        module, there = self.imports.get(file, {}).get(head, ("", head))
        name = there + dot + rest
        found = self.in_module(name, module)
        if found:
            return found
        if name in self.classes and name != near:
            return name
        short = name.rpartition(".")[2]
        if "." in name and not name[0].isupper() and short in self.classes:
            return short  # module.Class
        return None

    def in_module(self, name, module):
        """The class that `from module import name` brings, as far as the path of a file tells."""
        path = module.lstrip(".").replace(".", "/")
        for key, (file, _) in self.classes.items() if path else ():
            if key.partition("@")[0] == name and f"/{path}" in f"/{file}":
                return key
        return None

    def bases(self, name):
        return [b for b in map(dotted, self.classes[name][1].bases) if b]

    def is_enum(self, name):
        for base in self.bases(name):
            if base.rpartition(".")[2] in ENUMS:
                return True
            found = self.find_class(base, name)
            if found and found != name and self.is_enum(found):
                return True
        return False

    def members(self, name):
        """Those of an enumeration, in the order of its text."""
        found = []
        for node in self.classes[name][1].body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                member = node.targets[0].id
                try:
                    value = self.value(node.value)
                except Unknown:
                    value = member.lower()
                if not member.startswith("_"):
                    found.append(Member(member, value))
        return found

    def value(self, node, names=None):
        """The value of an expression; raises Unknown."""
        return Evaluation(self, names or {}).of(node)


def imported(tree):
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                found[alias.asname or alias.name] = (node.module or "", alias.name)
    return found


def conditional(body):
    """Statements of a module, those under its conditions and attempts as well."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from conditional(node.body)
            yield from conditional(node.orelse)
            for handler in getattr(node, "handlers", []):
                yield from conditional(handler.body)
        else:
            yield node


class Evaluation:
    def __init__(self, sources, names, depth=0, lenient=False):
        self.lenient = lenient  # elements of lists that are not told are None
        self.sources = sources
        self.names = names
        self.depth = depth
        if depth > 20:
            raise Unknown("nested too deep")

    def inner(self, names=None):
        return Evaluation(self.sources, {**self.names, **(names or {})}, self.depth + 1,
                          self.lenient)

    def of(self, node):
        method = getattr(self, "of_" + type(node).__name__.lower(), None)
        if method is None:
            raise Unknown(ast.dump(node)[:60])
        return method(node)

    def of_constant(self, node):
        return node.value

    def of_list(self, node):
        found = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                found.extend(self.of(element.value))
            else:
                found.append(self.tolerant(element) if self.lenient else self.of(element))
        return found

    of_tuple = of_set = of_list

    def of_dict(self, node):
        return {self.of(k): self.tolerant(v) for k, v in zip(node.keys, node.values) if k}

    def tolerant(self, node):
        try:
            return self.of(node)
        except Unknown:
            return None

    def of_unaryop(self, node):
        value = self.of(node.operand)
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.Not):
            return not value
        raise Unknown("operator")

    def of_binop(self, node):
        operation = OPERATIONS.get(type(node.op))
        try:
            return operation(self.of(node.left), self.of(node.right))
        except (TypeError, ArithmeticError) as problem:
            raise Unknown(str(problem)) from problem

    def of_joinedstr(self, node):
        parts = []
        for part in node.values:
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            parts.append(str(self.of(inner)))
        return "".join(parts)

    def of_name(self, node):
        if node.id in self.names:
            return self.names[node.id]
        if node.id in self.sources.constants:
            return self.inner().of(self.sources.constants[node.id])
        found = self.sources.find_class(node.id)
        if found and self.sources.is_enum(found):
            return self.sources.members(found)
        raise Unknown(node.id)

    def of_attribute(self, node):
        name = dotted(node)
        if name is None:
            return self.attribute_of(self.of(node.value), node.attr)
        if node.attr in ("value", "name"):
            return self.attribute_of(self.of(node.value), node.attr)
        found = self.sources.find_class(dotted(node.value))
        if found is None:
            if node.attr in self.sources.constants:  # module.CONSTANT
                return self.inner().of(self.sources.constants[node.attr])
            raise Unknown(name)
        if self.sources.is_enum(found):
            for member in self.sources.members(found):
                if member.name == node.attr:
                    return member
        for inner in self.sources.classes[found][1].body:
            targets = getattr(inner, "targets", None) or [getattr(inner, "target", None)]
            is_it = isinstance(targets[0], ast.Name) and targets[0].id == node.attr
            if is_it and inner.value is not None:
                return self.inner().of(inner.value)
        raise Unknown(name)

    def attribute_of(self, value, name):
        if isinstance(value, Member):
            return getattr(value, name)
        raise Unknown(name)

    def of_call(self, node):
        name = dotted(node.func) or ""
        short = name.rpartition(".")[2]
        if short in SEQUENCES and len(node.args) == 1:
            value = self.of(node.args[0])
            return SEQUENCES[short](value)
        if short == "range":
            return list(range(*map(self.of, node.args)))
        if short == "get_args" and len(node.args) == 1:
            return self.literal(node.args[0])
        if short == "cast" and len(node.args) == 2:
            return self.of(node.args[1])
        if short in ("field", "Field"):
            return self.of_field(node)
        if short in ("list", "dict", "set", "tuple") and not node.args:
            return {} if short == "dict" else []
        if isinstance(node.func, ast.Attribute) and short in ("keys", "lower", "upper"):
            value = self.of(node.func.value)
            return list(value) if short == "keys" else getattr(value, short)()
        raise Unknown(name)

    def literal(self, node):
        """The words of Literal[...] or of a name for it."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = dotted(node).rpartition(".")[2]
            if name in self.sources.constants:
                return self.inner().literal(self.sources.constants[name])
        if isinstance(node, ast.Subscript) and (dotted(node.value) or "").endswith("Literal"):
            inside = node.slice
            elements = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            found = []
            for element in elements:
                try:
                    found.append(self.of(element))
                except Unknown:
                    found.extend(self.literal(element))
            return found
        raise Unknown("no Literal")

    def of_field(self, node):
        """What field(...) or Field(...) has where nothing is given."""
        for keyword in node.keywords:
            if keyword.arg == "default":
                return self.of(keyword.value)
            if keyword.arg == "default_factory":
                return self.of_factory(keyword.value)
        if node.args:
            return self.of(node.args[0])
        raise Unknown("no default")

    def of_factory(self, node):
        if isinstance(node, ast.Lambda):
            return self.of(node.body)
        if dotted(node) in ("list", "dict", "set", "tuple"):
            return {} if dotted(node) == "dict" else []
        raise Unknown("factory")

    def of_listcomp(self, node):
        if len(node.generators) != 1 or node.generators[0].ifs:
            raise Unknown("comprehension")
        target = node.generators[0].target
        if not isinstance(target, ast.Name):
            raise Unknown("comprehension")
        return [self.inner({target.id: each}).of(node.elt)
                for each in self.of(node.generators[0].iter)]

    of_generatorexp = of_setcomp = of_listcomp
