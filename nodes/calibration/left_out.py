"""What error bars say of a device, framework and scale without measured cases, and how much they
have to be widened for that: as src/catalog/error_bars.cpp looks them up.

Bars are {(work, device, framework, scale): relative}. `kin` is {device: (architecture, maker)}, of
devices that name them. `added` of classes, {(work, class): relative}, widens as an independent
error.
"""
import collections
import math
import pathlib
import tomllib

# What a point's device, framework and scale lack, as traits (technology/uncertainty.hpp).
MAKER = "maker not measured"
ARCHITECTURE = "architecture not measured"
DEVICE = "device not measured"
CLAIMED = "claimed peak"
STACK = "stack not measured"
VERSION = "version not measured"
SCALE = "scale not measured"
PAIR = "device and stack not measured together"
CLASSES = (MAKER, ARCHITECTURE, DEVICE, CLAIMED, STACK, VERSION, SCALE, PAIR)
OTHER_SCALE = {"single_node": "multi_node", "multi_node": "single_node"}
# Assumed: no row can say it before a device is sold. Rubin's bandwidth was announced as 13, a year
# later as 22 TB/s (+69 %), B200's FP4 as 20 and sold as 18 PFLOP/s (-10 %, both sparse): in
# between.
CLAIMED_PEAK = 0.30
# A class is never better known than one inside it: where a device was not measured, it was not with
# the stack.
INSIDE = {DEVICE: PAIR, ARCHITECTURE: DEVICE, MAKER: ARCHITECTURE, VERSION: PAIR, STACK: VERSION}


def rms(values):
    return math.sqrt(sum(value * value for value in values) / len(values))


def regime(row):
    """What has an entry."""
    return row.work, row.device, row.framework, row.scale


def stack_of(framework):
    return framework.partition("@")[0]


def kin_of(catalog):
    """(architecture, maker) of devices, "" where an entry names none."""
    found = {}
    for path in sorted(pathlib.Path(catalog).glob("devices*.toml")):
        for name, entry in tomllib.loads(path.read_text("utf-8")).get("device", {}).items():
            template = entry.get("template", "")
            found[name] = (template["value"] if isinstance(template, dict) else template,
                           entry.get("maker", ""))
    return found


def is_same(one, other):
    return bool(one) and one == other


def shares(kin, device, other, place):
    nobody = ("", "")
    return is_same(kin.get(device, nobody)[place], kin.get(other, nobody)[place])


def lacks_of(bars, kin, key):
    """What no bar of this kind of work is of."""
    work, device, framework, scale = key
    if key in bars:
        return ()
    if (work, device, framework, OTHER_SCALE[scale]) in bars:
        return (SCALE,)
    same = [other for other in bars if other[0] == work]
    found = []
    if all(other[1] != device for other in same):
        found.append(DEVICE if any(shares(kin, device, other[1], 0) for other in same)
                     else ARCHITECTURE if any(shares(kin, device, other[1], 1) for other in same)
                     else MAKER)
    if all(other[2] != framework for other in same):
        known = any(stack_of(other[2]) == stack_of(framework) for other in same)
        found.append(VERSION if known else STACK)
    return tuple(found) or (PAIR,)


def base_of(bars, kin, key):
    """Its own bar; that of the other scale; else the root mean square of all of its maker, or of
    all, and never below that of a relative: the same stack (this version of it where there is one)
    on the same device or architecture, and the best known stack of the device."""
    work, device, framework, scale = key
    if key in bars:
        return bars[key]
    other = bars.get((work, device, framework, OTHER_SCALE[scale]))
    if other is not None:
        return other
    same = {k: bar for k, bar in bars.items() if k[0] == work}
    if not same:
        return None
    on_kin = {f: max(bar for (_, d, g, _), bar in same.items()
                     if g == f and (d == device or shares(kin, device, d, 0)))
              for f in {g for (_, d, g, _) in same
                        if stack_of(g) == stack_of(framework) and
                        (d == device or shares(kin, device, d, 0))}}
    relative = on_kin.get(framework, max(on_kin.values(), default=0.0))
    of_device = [bar for (_, d, _, _), bar in same.items() if d == device]
    of_maker = [bar for (_, d, _, _), bar in same.items() if shares(kin, device, d, 1)]
    return max(rms(of_maker or list(same.values())), relative, min(of_device, default=0.0))


def bar_of(bars, added, kin, key):
    base = base_of(bars, kin, key)
    if base is None:
        return None
    return math.hypot(base, *(added.get((key[0], each), 0.0)
                              for each in lacks_of(bars, kin, key)))


def weighted_quantile(values, share):
    """Of (value, weight): the smallest that at least this share of the weight does not exceed."""
    ordered = sorted(values)
    wanted = share * sum(weight for _, weight in ordered) * (1.0 - 1e-12)
    reached = 0.0
    for value, weight in ordered:
        reached += weight
        if reached >= wanted:
            return value
    return ordered[-1][0]


def missing(error, bar):
    """What an independent error has to add so that this one is within the bar."""
    return math.sqrt(max(0.0, error * error - bar * bar))


def widening(found):
    """Of (error, bar, weight): what is added so that two of three are within one bar and 95 of 100
    within two; at most so much that 76 of 100 are within one."""
    once = [(missing(error, bar), weight) for error, bar, weight in found]
    twice = [(missing(error / 2.0, bar), weight) for error, bar, weight in found]
    return min(max(weighted_quantile(once, 0.68), weighted_quantile(twice, 0.95)),
               weighted_quantile(once, 0.76))


FEWEST_ROWS = 5  # of a group, to say something
# In the order of fitting: what others are added to comes first.
LEFT_OUT = (("version", VERSION), ("stack", STACK), ("device", DEVICE),
            ("architecture", ARCHITECTURE), ("maker", MAKER))


class Widenings:
    """What each class adds, of rows that were estimated and judged as if they were of that class.
    Every group of rows counts the same."""

    def __init__(self, kin):
        self.kin = kin
        self.added = {}

    def least(self, work, sought):
        """What the classes inside add at most."""
        inside = INSIDE.get(sought)
        return 0.0 if inside is None else max(self.added.get((work, inside), 0.0),
                                              self.least(work, inside))

    def fit(self, sought, groups, wider):
        """`groups`: (bars of what is known without them, rows); `wider(row, bar)`: what their
        traits make of a bar. Classes that `sought` is added to come first."""
        found = collections.defaultdict(list)  # by work, of each group (error, bar) by row
        for bars, rows in groups:
            by_work = collections.defaultdict(list)
            for row in rows:
                key = regime(row)
                lacks = lacks_of(bars, self.kin, key)
                if sought in lacks:
                    others = [self.added.get((row.work, each), 0.0)
                              for each in lacks if each != sought]
                    bar = math.hypot(wider(row, base_of(bars, self.kin, key)), *others)
                    by_work[row.work].append((abs(row.error), bar))
            for work, of_group in by_work.items():
                if len(of_group) >= FEWEST_ROWS:
                    found[work].append(of_group)
        for work, of_groups in found.items():
            pooled = [(error, bar, 1.0 / len(group)) for group in of_groups for error, bar in group]
            self.added[work, sought] = max(widening(pooled), self.least(work, sought))
        return found


def fitted(kin, bars, rows, left_of, wider):
    """What each class adds, {(work, class): (relative, rows)}: of groups that were left out,
    `left_of(kind)` their (bars, rows), of scales and pairs the rows as they are. Of kinds of work
    without rows of a class the most that others have."""
    widenings = Widenings(kin)
    found = {}
    regimes = collections.defaultdict(list)
    for row in rows:
        regimes[regime(row)].append(row)
    # Points beyond what was measured are larger, not smaller.
    for sought, scales in ((SCALE, ("multi_node",)), (PAIR, tuple(OTHER_SCALE))):
        groups = [({other: bar for other, bar in bars.items() if other != key}, of_regime)
                  for key, of_regime in regimes.items() if key in bars and key[3] in scales]
        found[sought] = widenings.fit(sought, groups, wider)
    for kind, sought in LEFT_OUT:
        found[sought] = widenings.fit(sought, left_of(kind), wider)
    result = {}
    for work in sorted({key[0] for key in bars}):
        for sought in CLASSES:
            if sought == CLAIMED:
                result[work, sought] = CLAIMED_PEAK, 0
            elif (work, sought) in widenings.added:
                count = sum(map(len, found[sought].get(work, ())))
                result[work, sought] = widenings.added[work, sought], count
            else:
                others = [added for (_, known), added in widenings.added.items() if known == sought]
                if others:
                    result[work, sought] = max(others), 0
    for (work, sought), (relative, _) in list(result.items()):
        if work == "inference" and result.get(("first_token", sought), (1.0,))[0] < relative:
            result["first_token", sought] = relative, 0  # they are inference, too
    return result
