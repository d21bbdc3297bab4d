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
# Which figure stands for a study that names none: the first that was drawn.
FIGURES = ("shares", "frontier", "verdict")


def settings():
    return tomllib.loads((ROOT / "docs/gallery.toml").read_text(encoding="utf-8"))


def parts_of_verdict(text):
    """Title, answers and findings of what `analyze` prints."""
    verdict = re.search(r"^Verdict.*?(?=\n\n\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {"title": text.splitlines()[0], "verdict": verdict[0].rstrip() if verdict else ""}


def thumbnail(source, target):
    from PIL import Image

    with Image.open(source) as image:
        image = image.convert("RGB")
        image.thumbnail((THUMBNAIL_WIDTH, 4 * THUMBNAIL_WIDTH))
        image.save(target)


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
    chosen = next((f for f in (choice.get("figure"), *FIGURES) if f in names),
                  next(iter(names), None))
    if chosen:
        thumbnail(work / names[chosen], work / "thumbnail.png")
    name = spec.stem
    about = parts_of_verdict(text) | {
        "spec": str(spec.relative_to(ROOT)),
        "commands": [" ".join([*mpirun, "scalesweep", "run", f"sweeps/{spec.name}", "-o",
                               f"{name}.h5"]),
                     " ".join(["scalesweep", "analyze", f"{name}.h5", *figures])],
        "run_s": ran - began, "analyze_s": analyzed - ran,
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
