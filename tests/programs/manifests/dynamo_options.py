"""Options that workers and the frontend of Dynamo add to those of their engines."""
import ast

# Module: the files that add its options, and those that hold their enumerations.
MODULES = {name: ((f"components/src/dynamo/{name}/{file}",
                   "components/src/dynamo/common/configuration/groups/runtime_args.py"),
                  (f"components/src/dynamo/{name}/constants.py",
                   "components/src/dynamo/common/constants.py"))
           for name, file in (("vllm", "backend_args.py"), ("sglang", "backend_args.py"),
                              ("trtllm", "backend_args.py"),
                              ("frontend", "frontend_args.py"))}


def enumerations(tree):
    """Values of each class of words."""
    return {node.name: [item.value.value for item in node.body
                        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant)]
            for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def choices(value, words):
    """Those of a list of words, or of [m.value for m in CLASS]."""
    if isinstance(value, ast.ListComp):
        return words.get(value.generators[0].iter.id, [])
    return [item.value for item in value.elts] if isinstance(value, ast.List) else []


def options(tree, words):
    """(name, choices) of each option that a call names."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = {word.arg: word.value for word in call.keywords}
        for key in ("flag_name", "obsolete_flag"):
            if isinstance(given.get(key), ast.Constant) and given[key].value:
                yield given[key].value, choices(given.get("choices"), words)


def rows(show):
    """Rows of a table, a shape for each module; `show` gives the text of a file, or None."""
    found = []
    for module, (files, constants) in MODULES.items():
        words = {}
        for text in filter(None, map(show, reversed(constants))):
            words |= enumerations(ast.parse(text))
        names = {}
        for text in filter(None, map(show, files)):
            names |= dict(options(ast.parse(text), words))
        found += [(module, name, "any", "", "|".join(map(str, values)), "")
                  for name, values in sorted(names.items())]
    return found
