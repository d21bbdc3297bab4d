"""Damages of any file: each is a function of its bytes, which it changes in place, of where it may
damage them ([first, last)), and of chance.
"""


def flip_one(data, first, last, chance):
    data[chance.randrange(first, last)] ^= 1 << chance.randrange(8)


def flip_many(data, first, last, chance):
    for _ in range(64):
        flip_one(data, first, last, chance)


def swap_bytes(data, first, last, chance):
    at, to = chance.randrange(first, last), chance.randrange(first, last)
    data[at], data[to] = data[to], data[at]


def some_block(first, last, chance):
    size = min(chance.choice((16, 64, 512, 4096)), last - first)
    at = chance.randrange(first, last - size + 1)
    return at, at + size


def swap_blocks(data, first, last, chance):
    at, end = some_block(first, last, chance)
    to = chance.randrange(first, last - (end - at) + 1)
    block = bytes(data[at:end])
    data[at:end] = data[to:to + end - at]
    data[to:to + len(block)] = block


def zero_block(data, first, last, chance):
    at, end = some_block(first, last, chance)
    data[at:end] = bytes(end - at)


def noise_block(data, first, last, chance):
    at, end = some_block(first, last, chance)
    data[at:end] = chance.randbytes(end - at)


def cut(data, first, last, chance):
    del data[chance.randrange(first, last):]


def grow(data, _first, _last, chance):
    more = chance.choice((1, 16, 4096, 100000))
    data += chance.choice((bytes(more), chance.randbytes(more), bytes(data[:more])))


BYTE_DAMAGES = (flip_one, flip_many, swap_bytes, swap_blocks, zero_block, noise_block, cut, grow)
