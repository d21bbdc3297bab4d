#!/usr/bin/env python3
"""A folder of an unfinished study with links in it, as a copy from elsewhere may have: under the
names that the program itself writes they lead to files and folders outside, which must stay as
they are.

    SCALESWEEP=.../scalesweep links_test.py
"""
import hashlib
import os
import shutil
import stat
import unittest
from pathlib import Path

from fault_study import OK, FaultTest, call, command, subprocess

# Each in the folder, but the last two. The process number is in one of them.
PLANTED = ("study.json", "study.h5", "study.json.partial", "merge.journal", "x.tmp",
           "000000000000-000000000100.h5", "{temporary}", "../a.h5.partial", "../a.h5")
TARGETS = ("precious.txt", "folder", "absent")


class Outside:
    """A file and a folder that belong to somebody else, and whether they are as they were."""

    def __init__(self, folder):
        self.folder = folder / "outside"
        self.folder.mkdir()
        (self.folder / "precious.txt").write_text("precious\n" * 500)
        inside = self.folder / "folder"
        inside.mkdir()
        for name in ("000000000000-000000000100.h5", "x.tmp", "study.json", "merge.journal"):
            (inside / name).write_text(f"precious {name}\n" * 100)
        self.seen = self.look()

    def look(self):
        found = {}
        for path in sorted(self.folder.rglob("*")):
            content = b"" if path.is_dir() else path.read_bytes()
            found[str(path.relative_to(self.folder))] = (
                stat.filemode(path.stat().st_mode), hashlib.sha256(content).hexdigest())
        return found

    def changed(self):
        now = self.look()
        return sorted(name for name in self.seen.keys() | now.keys()
                      if self.seen.get(name) != now.get(name))


def planting(parts, links):
    """A command that makes links and becomes what stands behind it, with the same process number:
    {name in the folder: what it leads to}."""
    host = os.uname().nodename[:63]
    plants = []
    for name, target in links.items():
        file = f"study.json.{host}-$$.tmp" if name == "{temporary}" else name
        plants.append(f'ln -sfn "{target}" "{parts}/{file}"')
    return ["/bin/sh", "-c", "; ".join(plants) + '; exec "$0" "$@"']


class PlantedLinks(FaultTest):
    def setUp(self):
        super().setUp()
        for whole, part in (('["N12", "N7", "N3", "N1"]', '["N7", "N3"]'),
                            ('["HBM2E", "HBM3", "HBM4"]', '"HBM3"'),
                            ('["HDRx8", "NDRx8", "XDRx8"]', '"NDRx8"'),
                            ("[2048, 4096]", "4096"), ('["400 W", "500 W"]', '"500 W"')):
            self.spec.write_text(self.spec.read_text().replace(whole, part))
        self.output = self.folder / "a.h5"
        self.parts = Path(f"{self.output}.d")
        self.outside = Outside(self.folder)

    def restore(self, intact):
        for path in (self.output, Path(f"{self.output}.partial")):
            path.unlink(missing_ok=True)
        shutil.rmtree(self.parts, ignore_errors=True)
        if intact:
            shutil.copytree(intact, self.parts)
        else:
            self.parts.mkdir()

    def plant_and_expect(self, intact, words, targets=TARGETS):
        for name in PLANTED:
            for target in targets:
                with self.subTest(words[0], name=name, target=target):
                    self.restore(intact)
                    links = {name: self.outside.folder / target}
                    done = subprocess.run([*planting(self.parts, links), *command(*words)],
                                          capture_output=True, text=True, check=False)
                    self.assertEqual(self.outside.changed(), [], f"{done.stdout}{done.stderr}")
                    if done.returncode == OK:
                        self.expect_equal(self.output)
                    else:
                        self.assertIn("error:", done.stderr)

    def all_segments(self):
        self.expect(call("run", self.spec, "-o", self.output, "--shard", "1/1", "-q"), OK)
        return self.parts.rename(self.folder / "intact")

    def test_where_the_rows_are_merged(self):
        self.plant_and_expect(self.all_segments(), ("merge", self.output))

    def test_where_a_run_goes_on(self):
        self.plant_and_expect(self.all_segments(), ("run", self.spec, "-o", self.output, "-q"),
                              TARGETS[:1])

    def test_where_nothing_was_computed(self):
        self.plant_and_expect(None, ("run", self.spec, "-o", self.output, "-q"), TARGETS[:1])


if __name__ == "__main__":
    unittest.main()
