"""One file, however it is made: of drawn specs.

Each is run alone, in shards, by ranks, with its rows in one file or in parts, and stopped at drawn
moments by drawn signals and gone on with: every dataset and attribute of the files is the same, to
the bit. Half of the specs keep what their policy says, and half all.
"""
import random
import shutil
import signal
import subprocess
import time
import unittest

from asked import ALL_ROWS, ARGUMENTS, TITLE, Laws, draw_specs, h5py, main, program

MPIRUN = shutil.which("mpirun")
SMALL = 300   # points of a spec that ranks, which share two cores, evaluate as well
STOPPED = 75  # the same command goes on
# Signals that a batch system, a terminal or a person sends.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGKILL)


def run(spec, output, *options, ranks=1, code=0):
    before = [MPIRUN, "--oversubscribe", "-n", ranks] if ranks > 1 else []
    program("run", spec, "-o", output, "--quiet", "--no-sync", *options,
            before=list(map(str, before)), code=code)


class OneFile(Laws):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.chance = random.Random(ARGUMENTS.seed)
        cls.specs = draw_specs(cls.folder, "--title", TITLE)
        cls.keep = {spec: ALL_ROWS[:2] if at % 2 else () for at, spec in enumerate(cls.specs)}
        cls.files, cls.seconds = {}, {}
        for spec in cls.specs:
            cls.files[spec] = spec.with_suffix(".h5")
            begin = time.monotonic()
            run(spec, cls.files[spec], *cls.keep[spec])
            cls.seconds[spec] = time.monotonic() - begin

    def of_spec(self, how):
        """(spec, its file, a name for another one, options), of all specs."""
        for spec, path in self.files.items():
            yield spec, path, path.with_suffix(f".{how}.h5"), self.keep[spec]

    def test_shards_in_any_order(self):
        for spec, path, other, keep in self.of_spec("shards"):
            count = self.chance.choice((2, 3, 5))
            shards = list(range(1, count + 1))
            self.chance.shuffle(shards)
            for shard in shards:
                run(spec, other, *keep, "--shard", f"{shard}/{count}")
            program("merge", other)
            self.expect_same_file(path, other, "shards")

    def test_layouts_of_the_file(self):
        for spec, path, other, keep in self.of_spec("virtual"):
            if not keep:  # what drops rows at its end has no parts
                path, keep = path.with_suffix(".all.h5"), ALL_ROWS[:2]
                run(spec, path, *keep)
            if self.chance.random() < 0.5:
                run(spec, other, *keep, "--layout", "virtual")
            else:  # of segments of several runs
                run(spec, other, *keep, "--shard", "2/2", "--segment-seconds", "0.001")
                run(spec, other, *keep, "--layout", "virtual")
            self.expect_same_file(path, other, "virtual")
            # Rows in parts of other files are those of the parts wherever the folder lies.
            moved = self.folder / f"moved-{spec.stem}"
            moved.mkdir()
            parts = other.with_name(other.name + ".d")
            self.assertTrue(parts.is_dir())
            shutil.move(other, moved / other.name)
            shutil.move(parts, moved / parts.name)
            self.expect_same_file(path, moved / other.name, "virtual, moved")
            program("merge", moved / other.name)
            self.expect_same_file(path, moved / other.name, "virtual, merged")
            with h5py.File(moved / other.name) as file:
                self.assertNotIn("layout", file.attrs)
            self.assertFalse((moved / parts.name).exists())

    @unittest.skipUnless(MPIRUN, "there is no mpirun")
    def test_ranks(self):
        for spec, path, other, keep in self.of_spec("ranks"):
            with h5py.File(path) as file:
                if file.attrs["points"] > SMALL:
                    continue
            ranks = self.chance.choice((2, 3, 4))
            run(spec, other, *keep, ranks=ranks)
            self.expect_same_file(path, other, f"{ranks} ranks")

    def test_stopped_runs_go_on(self):
        stopped = 0
        latest = 1.0  # of the time that a run took; less where one has ended before its signal
        for spec, path, other, keep in self.of_spec("stopped"):
            if self.chance.random() < 0.5:  # a part of it is there
                run(spec, other, *keep, "--shard", "2/3")
            for _ in range(2):
                in_time = self.is_stopped(spec, other, keep, latest)
                stopped += in_time
                latest *= 1.0 if in_time else 0.7
            many = MPIRUN and self.chance.random() < 0.2
            run(spec, other, *keep, ranks=2 if many else 1)
            self.expect_same_file(path, other, "stopped")
            self.assertFalse(other.with_name(other.name + ".d").exists())
        self.assertGreater(stopped, 0)

    def is_stopped(self, spec, output, keep, latest):
        """Whether a run, which was sent a signal at a moment of its time, had not ended before."""
        process = subprocess.Popen(
            [str(ARGUMENTS.program), "run", str(spec), "-o", str(output), *keep, "--quiet",
             "--no-sync", "--segment-seconds", "0.001"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(self.chance.uniform(0.2, 1.0) * latest * self.seconds[spec])
        process.send_signal(self.chance.choice(SIGNALS))
        _, words = process.communicate()
        # A signal before the program listens ends it as any other.
        self.assertTrue(process.returncode in (0, STOPPED) or process.returncode < 0, words)
        return process.returncode != 0


if __name__ == "__main__":
    main()
