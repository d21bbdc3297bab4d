"""All that is done to a run, in one table: name, what does it, and how often in a round."""
from collections import namedtuple

import damages
import interruptions
import limits

Scenario = namedtuple("Scenario", "name disturb times rounds")

# `rounds`: only in every so many of them, for what takes a minute.
SCENARIOS = tuple(Scenario(*row) for row in (
    ("kill_job", interruptions.kill_job, 4, 1),
    ("kill_rank", interruptions.kill_rank, 3, 1),
    ("kill_shard", interruptions.kill_shard, 2, 1),
    ("kill_merge", interruptions.kill_merge, 3, 1),
    ("stop", interruptions.stop, 2, 1),
    ("pause", interruptions.pause, 1, 1),
    ("pause_rank", interruptions.pause_rank, 1, 1),
    ("two_at_once", interruptions.two_at_once, 1, 1),
    ("full_disk", limits.full_disk, 1, 1),
    ("file_size_limit", limits.file_size_limit, 1, 1),
    ("little_memory", limits.little_memory, 1, 1),
    ("few_descriptors", limits.few_descriptors, 1, 1),
    ("damaged_segments", damages.damaged_segments, 1, 1),
    ("damaged_description", damages.damaged_description, 1, 1),
    ("damaged_journal", damages.damaged_journal, 1, 1),
    ("clock_jumps", damages.clock_jumps, 1, 1),
    ("folder_goes", damages.folder_goes, 1, 1),
    ("planted_links", damages.planted_links, 2, 1),
    ("release_files", damages.release_files, 1, 1),
    ("node_loss", interruptions.node_loss, 1, 8),
))


def round_of(number, chance):
    """What is done in a round, in random order."""
    rows = [one for one in SCENARIOS if number % one.rounds == one.rounds - 1
            for _ in range(one.times)]
    chance.shuffle(rows)
    return rows
