"""Snapshots keep to the disk that they may take, and say what that costs."""

import errno
import shutil
from pathlib import Path

import numpy as np
import pytest

from fitguard.keras.snapshots.budget import FREE_SHARE, Budget
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.run import Place

ONE = 80_000
"""Bytes of each snapshot here, more or less."""


def save(store: SnapshotStore, fit: int, steps: int, *, end: bool = False) -> None:
    arrays = {"x": np.random.default_rng([fit, steps]).random(ONE // 8)}
    store.save(Content({"mark": [fit, steps]}, arrays), Place(fit=fit, total_steps=steps), end=end)


def used(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def find_marks(folder: Path, fits: range) -> list[list[int]]:
    store = SnapshotStore(folder)
    found = (store.newest(fit) for fit in fits)
    return [content.document["mark"] for content in found if content is not None]


def test_fit_in_a_loop_keeps_to_the_limit(tmp_path: Path) -> None:
    """60 calls: the shortest are given up first, the last end never."""
    told: list[str] = []
    limit = 10 * ONE
    store = SnapshotStore(tmp_path, told.append, limit)
    for fit in range(1, 61):
        save(store, fit, 1)
        save(store, fit, 900 if fit == 7 else 2, end=True)
        assert used(tmp_path) <= limit

    marks = find_marks(tmp_path, range(1, 61))
    assert [7, 900] in marks
    assert [60, 2] in marks
    assert len(marks) >= 7
    assert len(told) == 1
    assert "--disk" in told[0]


def test_one_running_snapshot_where_two_are_too_much(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, limit_bytes=int(2.5 * ONE))
    for steps in range(1, 6):
        save(store, 1, steps)
        assert used(tmp_path) <= 2.5 * ONE

    assert find_marks(tmp_path, range(1, 2)) == [[1, 5]]


def test_what_does_not_fit_at_all_is_refused_and_costs_nothing(tmp_path: Path) -> None:
    save(SnapshotStore(tmp_path), 1, 1)
    store = SnapshotStore(tmp_path, limit_bytes=int(1.5 * ONE))

    with pytest.raises(OSError, match="--disk") as raised:
        save(store, 1, 2)

    assert raised.value.errno == errno.EDQUOT
    assert find_marks(tmp_path, range(1, 2)) == [[1, 1]]


def test_what_was_set_aside_is_not_given_up(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path, limit_bytes=6 * ONE)
    save(store, 1, 5, end=True)
    save(store, 2, 5)
    store.set_aside(2, later=True)
    for fit in range(2, 9):
        save(store, fit, 50, end=True)
    store.set_aside(2, later=True)

    again = SnapshotStore(tmp_path)
    again.newest(2)
    again.set_aside(2, later=True)
    found = again.newest(2)
    assert found is not None
    assert found.document["mark"] == [2, 5]


def test_without_a_limit_it_is_a_share_of_what_is_free(tmp_path: Path) -> None:
    budget = Budget(tmp_path, None, print)
    assert budget.limit_bytes is not None
    assert not budget.lacks(ONE)
    assert budget.lacks(int(budget.limit_bytes / FREE_SHARE))


def test_a_share_of_a_small_disk_is_no_reason_to_write_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = shutil.disk_usage(tmp_path)._replace(free=2 * ONE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: free)
    store = SnapshotStore(tmp_path)
    for steps in (1, 2, 3):
        save(store, 1, steps)
    assert find_marks(tmp_path, range(1, 2)) == [[1, 3]]
