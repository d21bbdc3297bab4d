"""Reads a small Parquet file with nothing but the standard library and prints it as JSON.

An independent reader for the tests of the writer: it follows the specification, not the writer.
"""
import json
import struct
import sys


class Compact:
    """Thrift's compact protocol: structs as dicts by field number."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        result = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (4, 5, 6):
            return self.zigzag()
        if kind == 8:
            size = self.varint()
            self.at += size
            return self.data[self.at - size:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            size = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(size)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"type {kind}")

    def struct(self):
        fields, last = {}, 0
        while True:
            head = self.data[self.at]
            self.at += 1
            if head == 0:
                return fields
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = self.value(head & 15)


def plain(data, kind, count):
    if kind == 6:
        values, at = [], 0
        for _ in range(count):
            size = struct.unpack_from("<I", data, at)[0]
            values.append(data[at + 4:at + 4 + size].decode())
            at += 4 + size
        assert at == len(data), "nothing lies behind the values"
        return values
    letter = {1: "i", 2: "q", 4: "f", 5: "d"}[kind]
    return list(struct.unpack(f"<{count}{letter}", data))


def hybrid(data, count):
    """Indices of a dictionary: runs that repeat a value, and groups of eight packed ones."""
    bits, reader, values = data[0], Compact(data, 1), []
    while len(values) < count:
        head = reader.varint()
        if head & 1:
            size = (head >> 1) * bits
            packed = int.from_bytes(data[reader.at:reader.at + size], "little")
            reader.at += size
            values += [packed >> (bits * i) & (1 << bits) - 1 for i in range((head >> 1) * 8)]
        else:
            size = (bits + 7) // 8
            values += [int.from_bytes(data[reader.at:reader.at + size], "little")] * (head >> 1)
            reader.at += size
    return values[:count]


def page(data, at):
    reader = Compact(data, at)
    header = reader.struct()
    return header, data[reader.at:reader.at + header[3]]


def levels(body, count):
    """Which rows have a value, and what stands behind that; levels have no width before them."""
    size = struct.unpack_from("<I", body)[0]
    return hybrid(bytes([1]) + body[4:4 + size], count), body[4 + size:]


def column(data, chunk, optional):
    meta = chunk[3]
    words = None
    if 11 in meta:
        header, body = page(data, meta[11])
        assert header[1] == 2
        words = plain(body, meta[1], header[7][1])
    header, body = page(data, meta[9])
    assert header[1] == 0 and header[5][1] == meta[5]
    defined, body = levels(body, meta[5]) if optional else ([1] * meta[5], body)
    count = sum(defined)
    assert meta[12][3] == meta[5] - count, "rows without a value are counted"
    if words is None:
        values = plain(body, meta[1], count)
    else:
        values = [words[i] for i in hybrid(body, count)]
    values = iter(values)
    return [next(values) if one else None for one in defined]


def read(path):
    """The columns of a file and the texts about it; None where there is no value."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == b"PAR1" and data[-4:] == b"PAR1"
    size = struct.unpack("<I", data[-8:-4])[0]
    footer = Compact(data, len(data) - 8 - size)
    meta = footer.struct()
    assert footer.at == len(data) - 8, "the footer is as long as it says"
    root, *schema = meta[2]
    assert root[5] == len(schema)
    names = [element[4].decode() for element in schema]
    optional = {element[4].decode(): element[3] == 1 for element in schema}
    table = {name: [] for name in names}
    for group in meta[4]:
        for name, chunk in zip(names, group[1]):
            table[name] += column(data, chunk, optional[name])
    assert all(len(values) == meta[3] for values in table.values())
    def texts(pairs):
        return {pair[1].decode(): pair[2].decode() for pair in pairs}

    columns = {name: texts(chunk[3].get(8, ()))
               for group in meta[4][:1] for name, chunk in zip(names, group[1])}
    return {"groups": len(meta[4]), "table": table, "metadata": texts(meta[5]),
            "columns": columns, "optional": optional}


if __name__ == "__main__":
    print(json.dumps(read(sys.argv[1])))
