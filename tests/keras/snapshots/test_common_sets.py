"""What a worker of a gang keeps: all from the newest sets on that every worker has."""

from pathlib import Path

import numpy as np
import pytest

from fitguard.keras.snapshots.aside import MOST_BEYOND
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.gang import SavedPlace
from fitguard.schema.run import Place


class Disk:
    """The snapshots of one worker, and what its guard says of the others."""

    def __init__(self, folder: Path, limit_bytes: int | None = None) -> None:
        self.complete: list[SavedPlace] = []
        self.folder = folder
        self.store = SnapshotStore(
            folder, limit_bytes=limit_bytes, list_complete=lambda: self.complete
        )

    def save(self, fit: int, steps: int = 0, *, end: bool = False) -> int:
        content = Content({}, {"x": np.full(2000, float(steps))})
        return self.store.save(content, Place(fit=fit, total_steps=steps), end=end)

    def steps(self) -> list[int]:
        return [place.steps for place in self.store.list_places()]


def test_all_stay_until_the_others_have_one(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for steps in range(1, 7):
        disk.save(1, steps)

    assert disk.steps() == [6, 5, 4, 3, 2, 1]


def test_what_is_older_than_the_complete_sets_goes(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for steps in range(1, 7):
        disk.save(1, steps)
    disk.complete = [SavedPlace(1, 5), SavedPlace(1, 3)]

    disk.save(1, 7)

    assert disk.steps() == [7, 6, 5, 4, 3]


def test_an_end_removes_no_running_snapshot_that_the_others_still_need(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.save(1, 10)
    disk.complete = [SavedPlace(1, 10)]

    disk.save(1, 20, end=True)
    assert SavedPlace(1, 10) in disk.store.list_places()

    disk.complete = [SavedPlace(1, end=True)]
    disk.save(2, 5)
    assert disk.store.list_places() == [SavedPlace(2, 5), SavedPlace(1, end=True)]


def test_ends_stay_however_old(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for fit in (1, 2, 3):
        disk.save(fit, 9, end=True)
    disk.complete = [SavedPlace(4, 8), SavedPlace(4, 4)]

    disk.save(4, 12)

    assert [place.fit for place in disk.store.list_places()] == [4, 3, 2, 1]


def test_the_same_place_is_kept_once(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    disk.save(1, 10)
    disk.save(1, 10)

    assert disk.steps() == [10]


def test_on_a_full_disk_the_newest_complete_set_and_the_ends_stay(tmp_path: Path) -> None:
    one = Disk(tmp_path / "measured").save(1, 1)
    disk = Disk(tmp_path / "small", limit_bytes=int(3.5 * one))
    disk.save(1, end=True)
    disk.save(2, 1)
    disk.complete = [SavedPlace(2, 1)]
    for steps in (2, 3, 4):
        disk.save(2, steps)

    assert disk.store.list_places() == [
        SavedPlace(2, 4),
        SavedPlace(2, 1),
        SavedPlace(1, end=True),
    ]

    disk.complete = [SavedPlace(2, 4), SavedPlace(2, 1)]
    disk.save(2, 5)
    assert disk.steps() == [5, 4, 0]


def test_a_full_disk_that_holds_nothing_to_spare_costs_the_new_one(tmp_path: Path) -> None:
    one = Disk(tmp_path / "measured").save(1, 1)
    disk = Disk(tmp_path / "small", limit_bytes=int(1.5 * one))
    disk.save(1, 1)
    disk.complete = [SavedPlace(1, 1)]

    with pytest.raises(OSError, match="no room is left"):
        disk.save(1, 2)

    assert disk.steps() == [1]


def test_of_what_was_put_aside_the_furthest_stay(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    for steps in (50, 10, 40, 20, 30):
        disk.save(1, steps)
        disk.store.go_back_to(None)

    left = sorted(path.name for path in tmp_path.glob("aside/beyond-*/*"))
    assert len(left) == MOST_BEYOND
    assert [int(name.partition("step")[2][:11]) for name in left] == [30, 40, 50]


def test_arrays_that_a_kept_one_shares_outlive_what_is_removed(tmp_path: Path) -> None:
    disk = Disk(tmp_path)
    frozen = np.arange(40_000.0)
    for steps in (1, 2, 3):
        content = Content({"steps": steps}, {"frozen": frozen, "x": np.full(9, float(steps))})
        disk.store.save(content, Place(fit=1, total_steps=steps))
    disk.complete = [SavedPlace(1, 3)]
    disk.store.go_back_to(SavedPlace(1, 3))
    disk.save(1, 4)

    content = SnapshotStore(tmp_path).read_at(SavedPlace(1, 3))

    assert disk.steps() == [4, 3]
    assert content is not None
    assert np.array_equal(content.arrays["frozen"], frozen)


def test_without_a_gang_two_stay_as_before(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for steps in range(1, 5):
        store.save(Content({}, {"x": np.ones(9)}), Place(fit=1, total_steps=steps))

    assert store.list_places() == [SavedPlace(1, 4), SavedPlace(1, 3)]
