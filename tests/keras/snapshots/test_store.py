"""Which snapshots are kept, and which one is taken."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.schema.run import Place


def place(fit: int, steps: int) -> Place:
    return Place(fit=fit, step=steps, total_steps=steps)


def save(store: SnapshotStore, fit: int, steps: int, **options: Any) -> int:
    content = Content({"mark": [fit, steps]}, {"x": np.ones(9)})
    return store.save(content, place(fit, steps), **options)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mark(content: Content | None) -> Any:
    return content and content.document["mark"]


def test_the_newest_comes_back_with_its_place(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path / "snapshots")
    assert store.newest() is None
    size = save(store, 1, 10)
    save(store, 1, 20)

    newest = SnapshotStore(tmp_path / "snapshots").newest()

    assert mark(newest) == [1, 20]
    assert newest is not None
    assert newest.document["place"]["total_steps"] == 20
    assert newest.document["end"] is False
    assert size == (tmp_path / "snapshots" / names(tmp_path / "snapshots")[0]).stat().st_size


def test_two_are_kept(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for steps in range(1, 6):
        save(store, 1, steps)

    assert names(tmp_path) == [
        "fit00001-step00000000004-0000000004.snapshot",
        "fit00001-step00000000005-0000000005.snapshot",
    ]


def tear(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def test_torn_ones_are_named_and_kept_aside(tmp_path: Path) -> None:
    save(SnapshotStore(tmp_path), 1, 10)
    save(SnapshotStore(tmp_path), 1, 20)
    newest = tmp_path / names(tmp_path)[-1]
    tear(newest)
    told: list[str] = []

    store = SnapshotStore(tmp_path, told.append)

    assert mark(store.newest(1)) == [1, 10]
    assert mark(store.newest(1)) == [1, 10]
    assert len(store.torn) == len(told) == 1
    assert newest.name in store.torn[0]
    kept = tmp_path / "aside" / "torn" / newest.name
    assert str(kept) in told[0]
    save(store, 1, 15)
    assert mark(store.newest(1)) == [1, 15]
    assert kept.exists()
    assert not newest.exists()


def test_few_torn_ones_are_kept(tmp_path: Path) -> None:
    for steps in range(5):
        save(SnapshotStore(tmp_path), 1, steps)
        tear(tmp_path / names(tmp_path)[-1])
        assert SnapshotStore(tmp_path).newest() is None
    save(SnapshotStore(tmp_path), 1, 9)

    kept = [name[-10:-9] for name in names(tmp_path / "aside" / "torn")]
    assert kept == ["3", "4", "5"]


def test_when_all_are_torn_there_is_none(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 10)
    save(store, 1, 20, end=True)
    for path in tmp_path.iterdir():
        path.write_bytes(b"")

    assert store.newest() is None
    assert len(store.torn) == 1


def test_the_end_of_a_fit_replaces_its_running_ones(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 10)
    save(store, 1, 20)
    save(store, 1, 20, end=True)
    save(store, 2, 5)

    assert [name.split("-")[:2] for name in names(tmp_path)] == [
        ["fit00001", "end"],
        ["fit00002", "step00000000005"],
    ]
    assert mark(store.newest(2)) == [2, 5]
    assert mark(store.newest(1)) == [1, 20]
    assert mark(store.newest()) == [2, 5]


def test_an_earlier_fit_without_an_end_keeps_its_newest(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for fit in (1, 2):
        for steps in (10, 20, 30):
            save(store, fit, steps)

    assert mark(store.newest(1)) == [1, 30]
    assert len(names(tmp_path)) == 3


def test_short_fits_leave_nothing(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    for fit in range(1, 9):
        save(store, fit, 10)
        if fit != 3:
            store.do_without(fit)

    assert [name[:8] for name in names(tmp_path)] == ["fit00003", "fit00008"]


def test_one_of_the_same_step_goes_by_the_counter_inside(tmp_path: Path) -> None:
    """A folder that was copied has other times, and names can be changed."""
    first = Content({"mark": "first"}, {})
    store = SnapshotStore(tmp_path)
    store.save(first, place(1, 5))
    save(store, 1, 5)
    older = min(tmp_path.iterdir())
    older.rename(tmp_path / "fit00001-step00000000005-0000000009.snapshot")

    assert mark(SnapshotStore(tmp_path).newest()) == [1, 5]


def test_stale_and_foreign_files(tmp_path: Path) -> None:
    stale = tmp_path / "fit00001-end-0000000001.snapshot.77.part"
    stale.write_bytes(b"half")
    (tmp_path / "notes.txt").write_text("of the user")
    (tmp_path / "other.snapshot").write_text("of the user")

    store = SnapshotStore(tmp_path)
    save(store, 1, 1)

    assert not stale.exists()
    assert names(tmp_path)[1:] == ["notes.txt", "other.snapshot"]
    assert mark(store.newest()) == [1, 1]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = SnapshotStore(tmp_path / "file" / "snapshots")

    assert store.newest() is None
    with pytest.raises(OSError, match="snapshots"):
        save(store, 1, 1)


def test_what_is_no_file_is_not_opened(tmp_path: Path) -> None:
    """To open a FIFO would wait for ever."""
    save(SnapshotStore(tmp_path), 1, 1)
    os.mkfifo(tmp_path / "fit00001-step00000000009-0000000009.snapshot")
    (tmp_path / "fit00001-step00000000008-0000000008.snapshot").mkdir()
    (tmp_path / "fit00001-step00000000007-0000000007.snapshot").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "fit00001-step00000000006-0000000006.arrays")

    store = SnapshotStore(tmp_path)
    save(store, 1, 2)

    assert mark(store.newest()) == [1, 2]
