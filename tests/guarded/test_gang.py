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


def train_plainly(gang: Gang) -> list[dict[str, bytes]]:
    gang.start(plain=True)
    assert gang.wait() == [0, 0], gang.read_output()
    return results(gang)


def hold_after_call(gang: Gang) -> None:
    """Until both have taken the snapshot, and wait in a later step."""
    gang.start(call=(CALLED, False), HOLD_AT="2:12")
    for worker in WORKERS:
        programs.wait_for(lambda worker=worker: CALLED in gang.list_saved(worker))


def end_round(gang: Gang, victim: int) -> list[int]:
    """One dies; the other cannot go on, and its guard would end it."""
    gang.kill(victim)
    gang.processes[victim].wait()
    gang.kill(*WORKERS)
    return gang.wait()


@pytest.mark.soak
@pytest.mark.parametrize("victim", WORKERS)
@pytest.mark.parametrize("kind", ["dense", "conv", "recurrent", "eager"])
def test_killed_and_restarted_they_end_as_plain_ones_do(
    tmp_path: Path, kind: str, victim: int
) -> None:
    gang = Gang(tmp_path, "workers.py", "tf_keras", kind)
    plain = train_plainly(gang)
    hold_after_call(gang)
    end_round(gang, victim)

    gang.start(CALLED)

    assert gang.wait() == [0, 0], gang.read_output()
    assert begun_at(gang, 3) == [[(1, 8, True), (2, 10, False)]] * 2
    assert results(gang) == plain


@pytest.mark.soak
@pytest.mark.parametrize("start", [END_1, None])
def test_from_an_earlier_start_they_end_as_plain_ones_do(
    tmp_path: Path, start: SavedPlace | None
) -> None:
    gang = Gang(tmp_path, "workers.py", "tf_keras")
    plain = train_plainly(gang)
    hold_after_call(gang)
    end_round(gang, 1)

    gang.start(start)

    assert gang.wait() == [0, 0], gang.read_output()
    begun = [(1, 8, True), (2, 0, False)] if start is not None else [(1, 0, False), (2, 0, False)]
    assert begun_at(gang, 3) == [begun] * 2
    assert results(gang) == plain


@pytest.mark.soak
def test_all_leave_where_they_are_called_and_go_on_there(tmp_path: Path) -> None:
    gang = Gang(tmp_path, "workers.py", "tf_keras")
    plain = train_plainly(gang)

    gang.start(call=(CALLED, True))
    for beat in gang.beats:
        beat.note_complete(CALLED)
    assert gang.wait() == [LEFT_AS_ASKED] * 2, gang.read_output()
    assert [gang.list_saved(worker) for worker in WORKERS] == [[CALLED, END_1]] * 2
    gang.start(CALLED, call=(SavedPlace(2, 999), True))
    assert gang.wait() == [LEFT_AS_ASKED] * 2, gang.read_output()
    assert gang.list_saved(0)[0] == gang.list_saved(1)[0] == END_2
    gang.start(END_2)

    assert gang.wait() == [0, 0], gang.read_output()
    assert begun_at(gang, 4) == [[(1, 8, True), (2, 16, True)]] * 2
    assert results(gang) == plain


@pytest.mark.soak
def test_a_torn_snapshot_on_one_worker_is_offered_no_more(tmp_path: Path) -> None:
    gang = Gang(tmp_path, "workers.py", "tf_keras")
    plain = train_plainly(gang)
    hold_after_call(gang)
    end_round(gang, 1)
    (torn,) = RunFolder(gang.run_folder(1)).snapshots.glob("fit00002-step*")
    torn.write_bytes(torn.read_bytes()[:-1])

    gang.start(CALLED)
    assert gang.processes[1].wait(programs.LONGEST_SECONDS) == REPLACE_ME
    gang.kill(0)
    gang.wait()
    assert [one.kind for one in events(gang, 1, 3, Failed)] == [LOST_START]
    assert gang.list_saved(1) == [END_1]
    gang.start(END_1)

    assert gang.wait() == [0, 0], gang.read_output()
    assert results(gang) == plain


@pytest.mark.soak
@pytest.mark.parametrize("victim", WORKERS)
def test_keras_3_goes_on_from_the_agreed_step(tmp_path: Path, victim: int) -> None:
    """Without fitguard it cannot train with several workers at all (keras#20585)."""
    through = train_through(Gang(tmp_path / "through", "workers.py", "keras"))
    gang = Gang(tmp_path / "killed", "workers.py", "keras")
    hold_after_call(gang)
    end_round(gang, victim)

    gang.start(CALLED)

    assert gang.wait() == [0, 0], gang.read_output()
    assert begun_at(gang, 2) == [[(1, 8, True), (2, 10, False)]] * 2
    assert results(gang) == through
