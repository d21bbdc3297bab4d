"""Lines of the log, and CSV files that are on disk after every row."""
import csv
import os
import time

START = time.perf_counter()


def since_start():
    return time.perf_counter() - START


def log(*words):
    print(f"[{since_start():7.2f}]", *words, flush=True)


class Table:
    """What was measured stays if the script is stopped."""

    def __init__(self, folder, name, columns):
        self.file = open(os.path.join(folder, name), "w", newline="", encoding="utf-8")
        self.writer = csv.DictWriter(self.file, columns.split(","), restval="",
                                     extrasaction="ignore", lineterminator="\n")
        self.writer.writeheader()
        self.file.flush()

    def add(self, **row):
        self.writer.writerow({name: f"{value:.6g}" if isinstance(value, float) else value
                              for name, value in row.items()})
        self.file.flush()
