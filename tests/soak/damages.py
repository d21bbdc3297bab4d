"""Scenarios of what happens to files of an unfinished study: flipped bits, times of another clock,
folders that go, links that somebody planted, files of another version."""
import os
import shutil
import sys
import time
from pathlib import Path

import upgrade
from jobs import OK, Wrong, expect_orderly
from studies import ALONE, STUDIES, Study

for tests in ("faults", "support"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / tests))
from byte_damages import (cut, flip_many, flip_one, noise_block, swap_blocks,  # noqa: E402
                          swap_bytes, zero_block)
from links_test import PLANTED, TARGETS, Outside, planting  # noqa: E402

# Flips, which are what disks do most, as often as all else.
DAMAGES = (flip_one, flip_one, flip_one, flip_many, flip_many, swap_bytes, swap_blocks, zero_block,
           noise_block, cut)

MERGED = [one for one in STUDIES if not one.is_virtual()]


def damage(path, chance):
    """Another content of the same file, which stays the same file: as a disk does it."""
    data = bytearray(path.read_bytes())
    if data:
        chance.choice(DAMAGES)(data, 0, len(data), chance)
        with path.open("r+b") as file:
            file.truncate(len(data))
            file.write(data)


def damaged_segments(trial):
    trial.interrupt()
    trial.trusts_segments = False
    segments = trial.segments()
    for path in trial.chance.sample(segments, trial.chance.randint(1, min(4, len(segments)))):
        damage(path, trial.chance)
        trial.hits += 1


def damaged_description(trial):
    """What is refused is put back, as from a copy; what is taken must do no harm."""
    trial.interrupt()
    victim = trial.parts / trial.chance.choice(("study.json", "study.h5"))
    right = victim.read_bytes()
    damage(victim, trial.chance)
    trial.hits += 1
    _, done = trial.attempt()
    if not done and victim.exists():
        victim.write_bytes(right)


def killed_merge(trial):
    """Leaves a merge that was killed on its way: whether there is one."""
    trial.choose(trial.chance.choice([one for one in MERGED if one.rows_stay]), ALONE)
    trial.end(trial.start("--shard", "1/1", "-q"))
    job = trial.start(commands=[trial.merge_words()])
    job.wait_until(lambda: (trial.parts / "merge.journal").exists(), 20)
    time.sleep(trial.chance.uniform(0.0, 0.05))
    job.signal(9)
    trial.end(job)
    return not trial.output.exists()


def damaged_journal(trial):
    if killed_merge(trial):
        for path in (trial.parts / "merge.journal", trial.partial):
            if path.exists() and trial.chance.random() < 0.7:
                damage(path, trial.chance)
                trial.hits += 1


def clock_jumps(trial):
    """Files of the past and of the future, as a wrong clock or another machine leaves them."""
    trial.interrupt()
    times = (0, 1, 946684800, 4102444800, 2**33)
    for path in (*trial.parts.iterdir(), trial.parts, trial.home):
        if trial.chance.random() < 0.8:
            os.utime(path, (trial.chance.choice(times),) * 2)
    trial.hits += 1
    job = trial.start()
    time.sleep(trial.moment(0.5))
    for path in (*trial.segments(), trial.parts / "study.json"):
        try:
            os.utime(path, (trial.chance.choice(times),) * 2)
        except FileNotFoundError:
            pass
    for ended in trial.end(job):
        if ended.code != OK:
            raise Wrong(f"another clock stopped it: {ended}")


def folder_goes(trial):
    """The folder of the output is renamed or removed under the run: it says so."""
    job = trial.start()
    job.wait_until(lambda: trial.segments(), trial.seconds + 20)
    time.sleep(trial.chance.uniform(0.0, 0.5 * trial.seconds))
    victim = trial.chance.choice((trial.parts, trial.home))
    away = trial.folder / "away"
    renamed = trial.chance.random() < 0.5
    trial.trusts_segments = renamed
    try:
        if trial.output.exists():
            return trial.end(job)  # what is finished is not what this is about
        if renamed:
            victim.rename(away)
        else:
            shutil.rmtree(victim)
        trial.hits += 1
    except OSError:
        pass  # over meanwhile, or files came while it was removed
    said = job.wait()
    for ended in said:
        expect_orderly(ended)
        trial.refused(ended)
        if ended.code != OK and str(trial.home) not in ended.err:
            raise Wrong(f"it does not say what is gone: {ended}")
    finished = all(ended.code == OK for ended in said)
    there = [path for path in (trial.output, away / trial.output.name) if path.exists()]
    if finished and not trial.shape.shards and not there:
        raise Wrong(f"it says that it has finished, and there is nothing: {said[0]}")
    if away.exists():
        shutil.rmtree(victim, ignore_errors=True)
        away.rename(victim)
    trial.home.mkdir(exist_ok=True)
    if there and trial.study.is_virtual() and not renamed:
        trial.begin_anew()  # finished first, then we took its rows away
    return None


def planted_links(trial):
    """Links in the folder that lead outside: what they lead to stays as it is."""
    outside = Outside(trial.folder)
    if trial.chance.random() < 0.6:
        killed_merge(trial)
    else:
        trial.choose(trial.study, ALONE)
        trial.parts.mkdir()
    names = trial.chance.sample(PLANTED, trial.chance.randint(1, 4))
    targets = [outside.folder / trial.chance.choice(TARGETS)
               for _ in names]
    links = dict(zip(names, targets))
    prefix = planting(trial.parts, links)
    trial.hits += len(links)
    trial.trusts_segments = False
    words = trial.chance.choice((trial.run_words(), trial.run_words(), trial.merge_words()))
    (ended,) = trial.end(trial.start(commands=[words], prefix=prefix))
    trial.refused(ended)
    if changed := outside.changed():
        shown = ", ".join(f"{name} -> {target.name}" for name, target in links.items())
        raise Wrong(f"{changed} outside was changed through links: {shown}: {ended}")
    for path in (trial.output, trial.partial, *(trial.parts.iterdir() if trial.parts.is_dir()
                                                else ())):
        if path.is_symlink():
            path.unlink()
    if trial.parts.is_dir() and not (trial.parts / "study.json").exists():
        trial.begin_anew()


def release_files(trial):
    """Files that a release wrote: answers of the finished one are the same; the unfinished one goes
    on, or says why not and is left as it is."""
    folder = trial.chance.choice(upgrade.folders())
    trial.hits += 1
    upgrade.expect_same_answers(folder, trial.folder / "old")
    refusal = upgrade.go_on(folder, trial.folder / "old")
    if refusal:
        trial.refusals.append(refusal)
    trial.choose(Study("release", (folder / "spec.toml").read_text()), ALONE)
