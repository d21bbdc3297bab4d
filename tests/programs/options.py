"""Holds the words of a command against the rows of a table."""
import json
import re

import documents

NUMBER = re.compile(r"^-(\d|\.\d)")
WHOLE = re.compile(r"^[+-]?\d+(_\d+)*$")
SIZE = re.compile(r"^(-1|auto|\d+(\.\d+)?[kKmMgGtT]?)$")
FALSE_AND_TRUE = {"0", "1", "true", "false", "t", "f", "yes", "no", "y", "n", "on", "off"}


def is_option(replay, word):
    return word.startswith("--") or (word.startswith("-") and not NUMBER.match(word)
                                     and word in replay.known)


def is_told_later(value):
    """Whether the shell puts something in its place."""
    return "$" in value


def hold(replay, words):
    seen, at, positional = {}, 0, 0
    while at < len(words):
        word = words[at]
        at += 1
        if word.text == "$@":
            continue  # a switch of some nodes alone
        if not is_option(replay, word.text):
            positional += 1
            if positional > replay.form.positional:
                replay.refuse(word.place, "extra", word.text,
                              f"'{word.text}' belongs to no option", "leave it out")
            continue
        name, equals, value = word.text.partition("=")
        row = row_of(replay, name)
        if row is None:
            replay.refuse_unknown(word.place, name)
            at = past_values(replay, words, at)
            continue
        if row.names[0] in seen and not row.kind.startswith("repeated"):
            replay.refuse(word.place, "twice", name,
                          f"'{name}' is given twice, first at {seen[row.names[0]]}",
                          "leave one of them out")
        seen.setdefault(row.names[0], word.place)
        given = [value] if equals else []
        at = hold_values(replay, row, word, name, given, words, at)
    hold_required(replay, words, seen)


def row_of(replay, name):
    if name in replay.known:
        return replay.known[name]
    if replay.form.dashes:
        head, dot, tail = name.partition(".")
        return replay.known.get(head.replace("_", "-") + dot + tail)
    if replay.form.keys_as_options:
        return replay.known.get(name[2:].replace("-", "_"))
    return None


def past_values(replay, words, at):
    while at < len(words) and not is_option(replay, words[at].text):
        at += 1
    return at


def hold_required(replay, words, seen):
    place = words[0].place if words else "command"
    for row in replay.table.rows:
        if row.is_required() and row.names[0].startswith("--") and row.names[0] not in seen:
            replay.refuse(place, "required", row.names[0],
                          f"'{row.names[0]}' is not given, which {replay.what()} requires",
                          "give it")


def arity_of(row):
    """(fewest, most) words behind an option."""
    kind = row.kind.split(" ")
    if kind[0] == "switch":
        return 0, 0
    if kind[0] == "key" and row.type == "bool":
        return 0, 1
    if kind[0] == "optional":
        return 0, 1
    if kind[0] == "list":
        return 1, 1 << 30
    if kind[0].isdigit():
        return int(kind[0]), int(kind[0])
    return 1, 1


def hold_values(replay, row, word, name, given, words, at):
    fewest, most = arity_of(row)
    if given and most == 0:
        replay.refuse(word.place, "type", name,
                      f"'{name}' is a switch and takes no value, but has '{given[0]}'",
                      f"write '{name}' alone")
        return at
    if not given:
        while at < len(words) and len(given) < most and not is_option(replay, words[at].text):
            given.append(words[at].text)
            at += 1
    if len(given) < fewest:
        replay.refuse(word.place, "missing", name,
                      f"'{name}' has {len(given)} of the {fewest} values that it takes"
                      if fewest > 1 else f"'{name}' has no value",
                      "write one behind it" if fewest == 1 else f"write {fewest} behind it")
    for value in given:
        hold_value(replay, row, word.place, name, value)
    return at


def hold_value(replay, row, place, name, value):
    if is_told_later(value):
        return
    if row.kind.startswith("key"):
        documents.hold_word(replay, row, place, name, value)
        return
    problem = type_problem(row.type, value)
    if problem:
        replay.refuse(place, "type", name, f"'{name}' takes {problem}, not '{value}'",
                      f"write {problem}")
    elif row.choices is not None and value not in row.choices:
        replay.refuse(place, "choice", name,
                      f"'{name}' of {replay.what()} does not take '{value}'",
                      f"it takes {', '.join(row.choices)}")
    elif row.type == "json" and value.startswith("{"):
        hold_json(replay, place, name, row, value)


def type_problem(kind, value):
    """What a word should have been, or nothing."""
    if kind == "int" and not WHOLE.match(value):
        return "a whole number"
    if kind == "size" and not SIZE.match(value):
        return "a whole number, also with k, m or g behind it"
    if kind == "float":
        try:
            float(value)
        except ValueError:
            return "a number"
    if kind == "bool" and value.lower() not in FALSE_AND_TRUE:
        return "true or false"
    if kind == "json":
        try:
            json.loads(value)
        except ValueError:
            return "JSON"
    return None


def hold_json(replay, place, name, row, value):
    found = json.loads(value)
    prefix = row.names[0] + "."
    if any(known.startswith(prefix) for known in replay.known):
        documents.hold_table(replay, place, prefix, found)


def hold_overrides(replay, words):
    seen, positional = {}, 0
    for word in words:
        name, equals, value = word.text.partition("=")
        if not equals:
            positional += 1
            if positional <= replay.form.positional:
                continue  # a file
            replay.refuse(word.place, "missing", name, f"'{name}' has no value",
                          f"write {name}=VALUE")
            continue
        if name in seen:
            replay.refuse(word.place, "twice", name,
                          f"'{name}' is given twice, first at {seen[name]}",
                          "leave one of them out")
        seen.setdefault(name, word.place)
        row = replay.known.get(name)
        if row is None:
            if not documents.is_below_open(replay, name):
                replay.refuse_unknown(word.place, name)
        elif not is_told_later(value):
            documents.hold_word(replay, row, word.place, name, value)
