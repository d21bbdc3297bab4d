"""Whole numbers that go to the library, and which points somebody asks of."""
import operator

import numpy

MOST_THREADS = 2**31 - 1
BOOLEANS = (bool, numpy.bool_)


def whole(value, what):
    """A whole number; what rounds to one, or stands for one, is a mistake."""
    if not isinstance(value, BOOLEANS):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{what} is a whole number, not {value!r:.60}")


def thread_count(threads):
    count = whole(threads, "threads")
    if not 0 <= count <= MOST_THREADS:
        raise ValueError(f"threads must be 0 (all processors) to {MOST_THREADS}, not {count}")
    return count


def no_point(id, size):
    return f"there is no point {id}; ids are 0 to {size - 1}"


def _values_of(ids):
    """As an array of integers, of booleans, or of what is neither."""
    if isinstance(ids, (list, tuple)) and len({isinstance(of, BOOLEANS) for of in ids}) > 1:
        raise TypeError("ids are whole numbers or a mask, not some of both")
    values = numpy.asarray(ids)
    if values.ndim == 0:
        return numpy.array([whole(ids, "an id")], dtype=object)
    if values.size == 0:
        return values
    if values.dtype.kind == "f" and isinstance(ids, (list, tuple)):  # or numbers of 64 bits
        values = numpy.array(ids, dtype=object)
    if values.dtype == object:  # numbers beyond 64 bits, or types of pandas that may lack values
        if all(isinstance(of, BOOLEANS) for of in values.flat):
            return values.astype(bool)
        for value in values.flat:
            whole(value, "an id")
    return values


def _places(mask, size, given):
    if len(mask) != size:
        raise ValueError(f"a mask of {len(mask)} values, and there are {size} points: take it from "
                         "a table of all points (evaluate()), or give ids: table.point_id[mask]")
    if hasattr(given, "iloc") and not numpy.array_equal(given.index, numpy.arange(size)):
        raise ValueError("the rows of the mask's table are not all points in their order; give "
                         "ids: table.point_id[mask]")
    return numpy.flatnonzero(mask)


def point_ids(ids, size):
    """Ids as the library takes them. `ids`: None for all points, whole numbers, or a mask with True
    or False of each point."""
    if ids is None:
        return numpy.arange(size, dtype=numpy.int64)
    values = _values_of(ids)
    if values.ndim > 1:
        raise TypeError(f"ids are one list of whole numbers, not an array of {values.ndim} "
                        "dimensions; give array.ravel()")
    if values.dtype.kind == "b":
        return _places(values, size, ids)
    if values.size > 0:
        if values.dtype.kind not in "iuO":
            raise TypeError("ids are whole numbers or a mask of True and False, not "
                            f"{values[0].item()!r:.60}; give array.astype(int) if they are whole")
        for id in (int(values.min()), int(values.max())):
            if not 0 <= id < size:
                raise ValueError(no_point(id, size))
    return values.astype(numpy.int64)
