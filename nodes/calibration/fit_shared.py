"""Constants that all rows of a kind tell together, in the soft L1 norm of calibration.py."""

import math
import tempfile

from calibration import Program, held_out, minimise
from identify import Constant, Group, few_rows, fit_group, split, within


def calibrate_shared(work, title, entry, path, fit, rows):
    """Constants in the soft L1 norm of calibration.py."""
    places = [own[0] for own in fit.places]
    values = work.complete(path, *entry, places)
    group = Group(title, entry, [Constant(p, v) for p, v in zip(places, values)], len(rows))
    work.groups.append(group)
    if few_rows(group, rows):
        return group
    with tempfile.TemporaryDirectory() as folder:
        program = Program(work.program, work.catalog, rows, folder)

        def deviations(values):
            return [math.log(p / float(row["time_s"]))
                    for row, p in zip(rows, program.predict(fit, within(group.constants, values)))]

        def search(free, start, chosen):
            def residuals(found):
                values = [c.before for c in group.constants]
                for i, value in zip(free, found):
                    values[i] = value
                return split(deviations(values), rows, chosen)

            found = minimise(residuals, [start[i] for i in free])
            values = [c.before for c in group.constants]
            for i, value in zip(free, found):
                values[i] = value
            return within(group.constants, values)

        fit_group(group, rows, held_out, deviations, search)
    return group
