"""Which snapshots are kept, and which one is taken."""

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


def test_torn_ones_are_skipped_and_named(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 10)
    save(store, 1, 20)
    newest = tmp_path / names(tmp_path)[-1]
    newest.write_bytes(newest.read_bytes()[:-1])

    store = SnapshotStore(tmp_path)

    assert mark(store.newest(1)) == [1, 10]
    assert len(store.torn) == 1
    assert newest.name in store.torn[0]
    assert mark(store.newest(1)) == [1, 10]
    assert len(store.torn) == 1
    save(store, 1, 15)
    assert mark(store.newest(1)) == [1, 15]
    assert not newest.exists()
    assert len(names(tmp_path)) == 2


def test_when_all_are_torn_there_is_none(tmp_path: Path) -> None:
    store = SnapshotStore(tmp_path)
    save(store, 1, 10)
    save(store, 1, 20, end=True)
    for path in tmp_path.iterdir():
        path.write_bytes(b"")

    assert store.newest() is None
    assert store.end_of(1) is None
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
    assert mark(store.end_of(1)) == [1, 20]
    assert store.end_of(2) is None
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


def test_the_order_goes_by_the_counter(tmp_path: Path) -> None:
    """After a torn one, training goes on from an earlier step: its snapshot is the newer one."""
    store = SnapshotStore(tmp_path)
    save(store, 1, 100)
    store = SnapshotStore(tmp_path)
    save(store, 1, 60)

    assert mark(SnapshotStore(tmp_path).newest()) == [1, 60]


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
