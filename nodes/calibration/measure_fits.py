#!/usr/bin/env python3
"""Measures what the constants of fits.toml are worth on measured kernels and collectives.

They hold of all devices alike and were chosen by hand or rounded. Each is moved to four fifths and
to five fourths of its value (a share to at most 1), the others kept: the rows that it touches are
those whose prediction moves. Where the error is least at the value, the rows bear it out.
"""

import csv
import statistics
import tempfile

from calibration import Fit, Place, Program, argument_parser, case_file, errors, read_value

FILES = {
    "matmul": "kernels-matmul.csv",
    "attention": "kernels-attention.csv",
    "collectives": "kernels-collectives.csv",
}
UNITS = {
    "power_window": "ms",
    "word_rate": "GB/s",
    "pair_word_rate": "GB/s",
    "line_flag_part": "MB",
}
FACTORS = (0.8, 1.0, 1.25)


def moved_to(key, value, factor):
    """Shares are at most all."""
    return min(factor * value, 1.0) if key.endswith("_share") else factor * value


def keys_of(catalog, group):
    """The constants of a group, in the order of the file."""
    text = (catalog / "fits.toml").read_text().partition(f"[fit.default.{group}]\n")[2]
    lines = text.partition("\n[")[0].splitlines()
    keys = [line.partition(" = ")[0] for line in lines if " = " in line]
    return [key for key in keys if key not in ("source", "kind")]


def measured(options, group):
    with case_file(options.cases, FILES[group]).open(newline="") as cases:
        rows = list(csv.DictReader(cases))
    lines = [
        f"## {group}: {len(rows)} rows of {FILES[group]}",
        "",
        "| constant | value | rows | mean at 4/5 | at the value | at 5/4 |",
        "|---|---|---|---|---|---|",
    ]
    for key in keys_of(options.catalog, group):
        place = Place("fits.toml", f"fit.default.{group}", key, UNITS.get(key, ""))
        value = read_value(options.catalog, place)
        fit = Fit(key, [[place]], set(), set())
        with tempfile.TemporaryDirectory() as folder:
            program = Program(options.program, options.catalog, rows, folder)
            moved = [program.predict(fit, [moved_to(key, value, f)]) for f in FACTORS]
        touched = [len(set(times)) > 1 for times in zip(*moved)]
        line = f"| {key} | {value:.3g} {place.unit} | {sum(touched)} |"
        for times in moved:
            found = [e for e, own in zip(errors(rows, times), touched) if own]
            line += f" {statistics.fmean(found):.2%} |" if found else " |"
        lines.append(line)
        print(line, flush=True)
    return lines


def main():
    options = argument_parser(__doc__.splitlines()[0], ", ".join(FILES.values())).parse_args()
    report = [
        "# What holds of all devices alike",
        "",
        "Measured by `nodes/calibration/measure_fits.py`: each constant of `fits.toml` moved",
        "alone, the rows whose prediction moves, and the mean of |predicted / measured - 1| over",
        "these. The constants were chosen by hand, before there was a script, those of collectives",
        "fitted together with links and rounded; those without rows are published or assumed, as",
        "their sources say.",
        "",
    ]
    for group in FILES:
        report += measured(options, group) + [""]
    if options.report:
        options.report.write_text("\n".join(report))


if __name__ == "__main__":
    main()
