"""Holds TOML, YAML, JSON and assignments in Python of a launch against the keys of a table."""
import ast
import json
import tomllib

import yaml

WORDS = {"int": lambda v: isinstance(v, int) and not isinstance(v, bool),
         "float": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
         "bool": lambda v: isinstance(v, bool),
         "str": lambda v: isinstance(v, str),
         "null": lambda v: v is None,
         "list": lambda v: isinstance(v, list),
         "dict": lambda v: isinstance(v, dict),
         "table": lambda v: isinstance(v, dict),
         "enum": lambda v: isinstance(v, (str, int))}


class Twice(Exception):
    pass


def pairs(found):
    result = {}
    for key, value in found:
        if key in result:
            raise Twice(key)
        result[key] = value
    return result


class UniqueKeys(yaml.SafeLoader):
    """Refuses a key that stands twice, which YAML readers pass over in silence."""

    def construct_mapping(self, node, deep=False):
        return pairs([(self.construct_object(key, True), self.construct_object(value, True))
                      for key, value in node.value])


class Made:
    """A value that a program makes itself: any."""


def assigned(text):
    """Of 'config.section.key = value' in a function, {"section": {"key": value}}."""
    found = {}
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Assign):
            continue
        target = ast.unparse(node.targets[0])
        if not target.startswith("config."):
            continue
        *sections, key = target.split(".")[1:]
        at = found
        for section in sections:
            at = at.setdefault(section, {})
        if key in at:
            raise Twice(target)
        try:
            at[key] = ast.literal_eval(node.value)
        except ValueError:
            at[key] = Made()
    return found


def loaded(name, text):
    if name.endswith(".py"):
        return assigned(text)
    if name.endswith(".toml"):
        return tomllib.loads(text)
    if name.endswith(".json"):
        return json.loads(text, object_pairs_hook=pairs)
    return yaml.load(text, UniqueKeys)


def hold(replay, name, text):
    language = name.rpartition(".")[2].upper()
    try:
        found = loaded(name, text)
    except Twice as problem:
        replay.refuse(name, "twice", str(problem), f"'{problem}' is given twice",
                      "leave one of them out")
        return
    except (ValueError, SyntaxError, yaml.YAMLError) as problem:
        replay.refuse(name, "syntax", name,
                      f"is no {language}: {' '.join(str(problem).split())}", "correct it")
        return
    if not isinstance(found, dict):
        replay.refuse(name, "type", name, "has no keys", "write KEY and value")
        return
    hold_table(replay, name, "", found)


def hold_table(replay, place, prefix, found):
    for key, value in found.items():
        name = f"{prefix}{key}"
        row = replay.known.get(name)
        if row is None:
            if not is_below_open(replay, name):
                replay.refuse_unknown(place, name)
            continue
        hold_value(replay, row, place, name, value)


def is_below_open(replay, name):
    """Whether a key stands in a table that takes keys of any name."""
    while "." in name:
        name = name.rpartition(".")[0]
        row = replay.known.get(name)
        if row is not None:
            has_rows = any(known.startswith(row.names[0] + ".") for known in replay.known)
            return not has_rows or "dict" in row.type.split("|")
    return False


def hold_word(replay, row, place, name, word):
    """A value that stands on the command line, as YAML reads it where its type is not str."""
    words = row.type.split("|")
    value = word
    if "str" not in words and "enum" not in words or word in ("null", "None", "true", "false"):
        value = yaml.safe_load(word)
    if value == "None":
        value = None
    hold_value(replay, row, place, name, value)


def hold_value(replay, row, place, name, value):
    if isinstance(value, Made):
        return
    words = [w.split(" of ")[0] for w in row.type.split("|") if w]
    is_known = all(w in WORDS for w in words) and words
    if is_known and not any(WORDS[w](value) for w in words):
        replay.refuse(place, "type", name,
                      f"'{name}' takes {row.type.replace('|', ' or ')}, not {text(value)}",
                      "write a value of that type")
        return
    if isinstance(value, dict) and ("table" in words or not is_known):
        prefix = row.names[0] + "."
        if any(known.startswith(prefix) for known in replay.known):
            hold_table(replay, place, prefix, value)
        return
    if row.choices is not None and value is not None and not isinstance(value, (list, dict)):
        hold_choice(replay, row, place, name, value)


def hold_choice(replay, row, place, name, value):
    given = str(value)
    choices = row.choices
    if replay.form.any_case:
        given, choices = given.upper(), [c.upper() for c in choices]
    if given not in choices:
        replay.refuse(place, "choice", name,
                      f"'{name}' of {replay.what()} does not take {text(value)}",
                      f"it takes {', '.join(row.choices)}")


def text(value):
    return json.dumps(value, default=str)
