"""Which constants measured rows tell, by how much times feel them at a fit, and what remains."""

import math
import statistics
from dataclasses import dataclass, field

import calibrate_kernels
from calibration import Place

ROWS_FOR_CONSTANT = 3  # of kernels, at least
FELT = 0.002  # change of a time for one of a tenth of a constant: less is not felt
ROWS_THAT_FEEL = 3
LOOSE = 0.35  # standard error over the value, above which rows do not tell a constant
MOVE = 0.1  # of a constant, where it is asked which rows feel it


@dataclass
class Constant:
    place: Place
    before: float
    half: float = None
    after: float = None
    kept: str = ""  # why it keeps its value
    remark: str = ""  # on one that does not

    def is_share(self):
        return not self.place.unit and self.before <= 1.0

    def shown(self, value):
        return "" if value is None else f"{value:.3g} {self.place.unit}".strip()


@dataclass
class Group:
    """Constants that one kind of rows tells."""

    title: str
    entry: tuple  # kind, name
    constants: list
    rows: int
    lines: list = field(default_factory=list)  # residuals
    median: float = None
    means: list = None  # errors of all rows as they were and as fitted; then of those held out


def within(constants, values):
    """Shares are at most all."""
    return [min(v, 1.0) if c.is_share() else v for c, v in zip(constants, values)]


def relative_slopes(deviations, values, constants):
    """Of each constant: what a change by its size would do to the logarithm of times; by the size
    that it had, where rows say that it is about 0."""
    now = deviations(values)
    slopes = []
    for i, (value, constant) in enumerate(zip(values, constants)):
        move = MOVE
        if constant.is_share() and value + MOVE * max(value, constant.before) > 1.0:
            move = -MOVE
        moved = list(values)
        moved[i] += move * max(value, constant.before)
        slopes.append([(b - a) / move for a, b in zip(now, deviations(moved))])
    return now, slopes


def inverse_diagonal(matrix):
    """Of a symmetric matrix; infinite where it is singular."""
    size = len(matrix)
    found = []
    for i in range(size):
        unit = [1.0 if j == i else 0.0 for j in range(size)]
        try:
            found.append(calibrate_kernels.solve(matrix, unit)[i])
        except ZeroDivisionError:
            found.append(math.inf)
    return found


def standard_errors(now, slopes):
    """Of the constants over their values, by the curvature of the squares at the fit."""
    noise = max(1e-4, statistics.fmean(r * r for r in now))
    matrix = [[sum(a * b for a, b in zip(si, sj)) for sj in slopes] for si in slopes]
    return [math.sqrt(max(0.0, d) * noise) if math.isfinite(d) else math.inf
            for d in inverse_diagonal(matrix)]


def untold(deviations, values, constants):
    """Index -> why rows do not tell it: those not felt at all, then the loosest of the others, one
    after the other, since one that is kept no longer stands for another."""
    now, slopes = relative_slopes(deviations, values, constants)
    why, left = {}, []
    for i, slope in enumerate(slopes):
        feel = sum(1 for s in slope if abs(s) * MOVE > FELT)
        if feel < ROWS_THAT_FEEL:
            why[i] = f"felt by {feel} rows"
        else:
            left.append(i)
    while left:
        found = standard_errors(now, [slopes[i] for i in left])
        worst = max(range(len(left)), key=lambda j: found[j])
        if found[worst] <= LOOSE:
            break
        size = f"{100 * found[worst]:.0f} %" if found[worst] < 10.0 else "more than its size"
        why[left[worst]] = f"rows leave it open by {size}"
        del left[worst]
    return why


def sizes(deviations):
    return [abs(math.expm1(d)) for d in deviations]


def median_size(deviations):
    return statistics.median(sizes(deviations))


def residual_line(name, deviations):
    if not deviations:
        return f"| {name} | 0 | | | |"
    found = sizes(deviations)
    bias = statistics.median(math.expm1(d) for d in deviations)
    return (f"| {name} | {len(found)} | {statistics.median(found):.1%} |"
            f" {statistics.fmean(found):.1%} | {bias:+.1%} |")


def held_means(before, after, rows, second):
    """The mean error of the rows that are held out, before and by what the others say; None where
    nothing is held out."""
    if not any(map(second, rows)):
        return None
    return [statistics.fmean(sizes(split(d, rows, second))) for d in (before, after)]


def split(values, rows, second):
    return [v for v, row in zip(values, rows) if second(row)]


def fit_group(group, rows, second, deviations, search):
    """`deviations(values)` of all rows; `search(free, start, chosen)`: values from chosen rows."""
    everything = list(range(len(group.constants)))
    start = [c.before for c in group.constants]
    half = search(everything, start, lambda row: not second(row))
    found = search(everything, half, lambda row: True)
    why = untold(deviations, found, group.constants)
    free = [i for i in everything if i not in why]
    if why and free:
        half = search(free, start, lambda row: not second(row))
        found = search(free, half, lambda row: True)
    elif why:
        half = found = start
    for i, constant in enumerate(group.constants):
        constant.kept = why.get(i, "")
        constant.half = None if constant.kept else half[i]
        constant.after = constant.before if constant.kept else found[i]
    before, from_half, after = deviations(start), deviations(half), deviations(found)
    told_by(group, rows, second, before, from_half, after)


def told_by(group, rows, second, before, from_half, after):
    """What remains, by deviations of all rows."""
    group.median = median_size(after)
    held = held_means(before, from_half, rows, second)
    if held:
        group.means = [statistics.fmean(sizes(d)) for d in (before, after)] + held
    group.lines = [
        residual_line("constants as they were", before),
        residual_line("fitted half", split(from_half, rows, lambda row: not second(row))),
        residual_line("half held out, as it was", split(before, rows, second)),
        residual_line("half held out", split(from_half, rows, second)),
        residual_line("all rows", after)]


def few_rows(group, rows):
    needed = ROWS_FOR_CONSTANT * len(group.constants)
    if len(rows) >= needed:
        return False
    for constant in group.constants:
        constant.kept = f"too few rows: {len(rows)}, {needed} are needed"
        constant.after = constant.before
    return True
