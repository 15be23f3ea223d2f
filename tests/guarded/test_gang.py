"""Two real workers with TF_CONFIG: they take snapshots where they are called, and go on together.

What the guards of the workers do, the test does: it agrees on the start, and calls.
"""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import programs
import pytest
from guarded.gangs import Gang

from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.gang import SavedPlace
from fitguard.schema.journal import (
    LEFT_AS_ASKED,
    LOST_START,
    REPLACE_ME,
    Failed,
    FitBegan,
    Noted,
)

CALLED = SavedPlace(2, 10)
END_1, END_2 = SavedPlace(1, end=True), SavedPlace(2, end=True)
WORKERS = (0, 1)


def events(gang: Gang, worker: int, attempt: int, kind: type) -> list[Any]:
    journal = Journal(RunFolder(gang.run_folder(worker)).journal).read()
    return [one for one in journal if isinstance(one, kind) and one.attempt == attempt]


def begun_at(gang: Gang, attempt: int) -> list[list[tuple[int, int, bool]]]:
    """Of each worker: where each of its `fit` calls began."""
    return [
        [
            (one.place.fit, one.place.total_steps, one.restored)
            for one in events(gang, worker, attempt, FitBegan)
        ]
        for worker in WORKERS
    ]


def results(gang: Gang) -> list[dict[str, bytes]]:
    return [
        {
            name: array.tobytes()
            for name, array in np.load(gang.result(worker)).items()
            if not name.startswith("seen")
        }
        for worker in WORKERS
    ]


def train_through(gang: Gang) -> list[dict[str, bytes]]:
    """A round without a fault, with a snapshot in the middle."""
    gang.start(call=(CALLED, False))
    assert gang.wait() == [0, 0], gang.read_output()
    for worker in WORKERS:
        assert gang.list_saved(worker) == [END_2, CALLED, END_1]
    return results(gang)


def check_own_values(gang: Gang) -> None:
    """The snapshots hold what the script itself saw at that step, which differs by worker."""
    held = []
    for worker in WORKERS:
        content = SnapshotStore(RunFolder(gang.run_folder(worker)).snapshots).read_at(CALLED)
        assert content is not None
        held.append({array.tobytes() for array in content.arrays.values()})
    seen = [
        {n: a.tobytes() for n, a in np.load(gang.result(w)).items() if n.startswith("seen")}
        for w in WORKERS
    ]
    assert seen[0].keys() == seen[1].keys()
    assert any("moving" in name for name in seen[0])
    for name in seen[0]:
        assert (seen[0][name] == seen[1][name]) is ("moving" not in name), name
        for worker, other in itertools.permutations(WORKERS):
            assert seen[worker][name] in held[worker]
            if "moving" in name:
                assert seen[worker][name] not in held[other]


def test_both_go_on_from_the_agreed_step_with_their_own_values(tmp_path: Path) -> None:
    gang = Gang(tmp_path, "workers.py", "tf_keras")
    through = train_through(gang)
    check_own_values(gang)

    gang.start(CALLED)

    assert gang.wait() == [0, 0], gang.read_output()
    # What was further on is gone, and was made again.
    assert begun_at(gang, 2) == [[(1, 8, True), (2, 10, False)]] * 2
    assert results(gang) == through
    assert events(gang, 0, 2, Noted) == []
