#!/usr/bin/python3
"""Runs the studies of sweeps/ and analyzes them, for the gallery of the site.

    docs/gallery.py [--program PROGRAM] [--output FOLDER] [--ranks N] [STUDY...]

For each STUDY (default: all) FOLDER/STUDY/ gets figures, a thumbnail and study.json: the commands,
the time they took, the verdict. A study that is there is left as it is; remove its folder to make
it again. gallery.toml says what is drawn and what is left out. The site shows FOLDER when it is
built (default: build/gallery).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THUMBNAIL_WIDTH = 640
THUMBNAIL_HEIGHT = 480
# Which figure stands for a study that names none: the first that can be read when it is small.
# A figure of several parts has those in its names, behind a "-".
FIGURES = ("shares", "frontier", "frontier-", "shares-", "verdict", "moves")
TALLEST = 1.25  # times as high as wide


def settings():
    return tomllib.loads((ROOT / "docs/gallery.toml").read_text(encoding="utf-8"))


def parts_of_verdict(text):
    """Title, answers and findings of what `analyze` prints."""
    verdict = re.search(r"^Verdict.*?(?=\n\n\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {"title": text.splitlines()[0], "verdict": verdict[0].rstrip() if verdict else ""}


def thumbnail(folder, names, figure):
    """Makes the picture that stands for a study, and returns the name of its figure."""
    from PIL import Image

    if not names:
        return None
    wishes = [*([figure, f"{figure}-"] if figure else []), *FIGURES]
    drawn = [name for wish in wishes for name in names
             if name == wish or wish.endswith("-") and name.startswith(wish)] + list(names)
    shapes = {}
    for name in drawn:
        with Image.open(folder / names[name]) as image:
            shapes[name] = image.height / image.width
    small = [name for name in drawn if shapes[name] <= TALLEST]
    wanted = figure and drawn[0].startswith(figure)
    chosen = (drawn if wanted or not small else small)[0]
    with Image.open(folder / names[chosen]) as image:
        image = image.convert("RGB")
        image.thumbnail((THUMBNAIL_WIDTH, 8 * THUMBNAIL_WIDTH))
        # Of a figure that goes on for pages, the beginning.
        if image.height > TALLEST * image.width:
            image = image.crop((0, 0, image.width, THUMBNAIL_HEIGHT))
        image.save(folder / "thumbnail.png")
    return chosen


def call(command):
    shown = " ".join(str(part) for part in command)
    done = subprocess.run(command, cwd=ROOT, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode != 0:
        raise SystemExit(f"gallery: {shown} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def make_study(spec, folder, program, ranks, choice):
    """Runs and analyzes one study; its folder gets its name when all of it is there."""
    work = folder.with_suffix(".partial")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    study = work / f"{spec.stem}.h5"
    mpirun = ["mpirun", "-n", str(ranks)] if ranks > 1 else []
    began = time.monotonic()
    call([*mpirun, program, "run", spec, "-o", study, "--quiet"])
    ran = time.monotonic()
    figures = ["--figures", choice["figures"]] if "figures" in choice else []
    text = call([program, "analyze", study, "-o", work / "analysis", *figures])
    analyzed = time.monotonic()
    names = {}
    for picture in sorted((work / "analysis").glob("*.png")):
        figure = picture.stem.removeprefix(spec.stem + ".")
        names[figure] = picture.name
        shutil.copy(picture, work / picture.name)
    chosen = thumbnail(work, names, choice.get("figure"))
    name = spec.stem
    about = parts_of_verdict(text) | {
        "spec": str(spec.relative_to(ROOT)),
        "commands": [" ".join([*mpirun, "scalesweep", "run", f"sweeps/{spec.name}", "-o",
                               f"{name}.h5"]),
                     " ".join(["scalesweep", "analyze", f"{name}.h5", *figures])],
        "ranks": ranks, "run_s": ran - began, "analyze_s": analyzed - ran,
        "figures": names, "chosen": chosen}
    (work / "study.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(work / "analysis")
    study.unlink()
    work.rename(folder)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("studies", nargs="*", metavar="STUDY", help="names of sweeps/STUDY.toml")
    parser.add_argument("--program", default=ROOT / "build/release/bin/scalesweep", type=Path)
    parser.add_argument("--output", default=ROOT / "build/gallery", type=Path)
    parser.add_argument("--ranks", type=int, help="processes of a run (default: one per core)",
                        default=os.cpu_count() if shutil.which("mpirun") else 1)
    options = parser.parse_args(arguments)
    choices = settings()
    specs = {p.stem: p for p in sorted((ROOT / "sweeps").glob("*.toml"))}
    for name in (*choices, *options.studies):
        if name not in specs:
            parser.error(f"there is no sweeps/{name}.toml")
    for name in options.studies or specs:
        choice = choices.get(name, {})
        folder = options.output / name
        if "left_out" in choice:
            print(f"{name}: left out, {choice['left_out']}")
        elif (folder / "study.json").exists():
            print(f"{name}: there already")
        else:
            began = time.monotonic()
            make_study(specs[name], folder, options.program, options.ranks, choice)
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
