"""What cannot be used now is not removed, and comes back."""

import errno
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fitguard.keras.snapshots import store as stores
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor import flushing
from fitguard.monitor.unusable_snapshots import NewerSnapshot, UnreadableSnapshot
from fitguard.schema.run import Place


def save(store: SnapshotStore, script: str, fit: int, steps: int, **options: Any) -> None:
    content = Content({"mark": [script, fit, steps]}, {"x": np.ones(9)})
    store.save(content, Place(fit=fit, step=steps, total_steps=steps), **options)


def mark(content: Content | None) -> Any:
    return content and content.document["mark"]


def find(folder: Path, script: str, fit: int, store: SnapshotStore | None = None) -> Any:
    """As a `fit` does it: what is of another script is set aside."""
    store = store or SnapshotStore(folder)
    while (content := store.newest(fit)) is not None and mark(content)[0] != script:
        store.set_aside(fit, later=True)
    return mark(content)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Fit 1 of script A has ended, fit 2 trains."""
    store = SnapshotStore(tmp_path)
    save(store, "A", 1, 10)
    save(store, "A", 1, 20, end=True)
    save(store, "A", 2, 5)
    return tmp_path


def test_another_script_finds_nothing_and_removes_nothing(folder: Path) -> None:
    before = {path.name for path in folder.rglob("*.snapshot")}
    store = SnapshotStore(folder)

    assert find(folder, "B", 1, store) is None
    assert find(folder, "B", 2, store) is None
    save(store, "B", 1, 3)
    save(store, "B", 1, 4, end=True)

    assert before <= {path.name for path in folder.rglob("*.snapshot")}


def test_each_script_finds_its_own_again(folder: Path) -> None:
    for steps in (3, 4, 5):
        store = SnapshotStore(folder)
        assert find(folder, "B", 1, store) in (None, ["B", 1, steps - 1])
        save(store, "B", 1, steps)
        store = SnapshotStore(folder)
        assert find(folder, "A", 1, store) == ["A", 1, 20]
        assert find(folder, "A", 2, store) == ["A", 2, 5]
    assert find(folder, "B", 1) == ["B", 1, 5]


def test_a_later_fit_comes_back_only_behind_the_end_it_began_from(folder: Path) -> None:
    # C trains another second fit; B another first one, and then the second one as A has it.
    store = SnapshotStore(folder)
    assert mark(store.newest(1)) == ["A", 1, 20]
    store.set_aside(2, later=True)
    save(store, "C", 2, 9)
    store = SnapshotStore(folder)
    assert find(folder, "B", 1, store) is None
    save(store, "B", 1, 7, end=True)

    assert SnapshotStore(folder).newest(2) is None
    store = SnapshotStore(folder)
    assert find(folder, "A", 1, store) == ["A", 1, 20]
    assert find(folder, "A", 2, store) == ["A", 2, 5]


def test_a_kill_in_the_middle_of_a_move(folder: Path) -> None:
    store = SnapshotStore(folder)
    kept = store.set_aside(1, later=True)
    # As it lies there before the last rename, and one file was not moved yet.
    moving = kept.rename(kept.with_name(kept.name + ".part"))
    (moving / "fit00001-end-0000000002.snapshot").rename(
        folder / "fit00001-end-0000000002.snapshot"
    )

    store = SnapshotStore(folder)
    assert mark(store.newest(1)) == ["A", 1, 20]
    assert mark(store.newest(2)) == ["A", 2, 5]
    assert not list((folder / "aside").iterdir())


def test_threads_that_began_in_another_order(folder: Path) -> None:
    store = SnapshotStore(folder)
    store.set_aside(1)

    assert store.newest(1) is None
    assert mark(store.newest(2)) == ["A", 2, 5]
    assert mark(SnapshotStore(folder).newest(1)) == ["A", 1, 20]


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> dict[str, Exception]:
    """Files that cannot be read, by a part of their name."""
    faults: dict[str, Exception] = {}
    read = stores.read_snapshot

    def read_or_fail(path: Path, *more: Any) -> Content:
        for part, fault in faults.items():
            if part in path.name:
                raise fault
        return read(path, *more)

    monkeypatch.setattr(stores, "read_snapshot", read_or_fail)
    return faults


@pytest.mark.parametrize("fault", [UnreadableSnapshot, NewerSnapshot])
def test_what_cannot_be_read_now_is_found_later(
    fault: type[Exception], broken: dict[str, Exception], tmp_path: Path
) -> None:
    store = SnapshotStore(tmp_path)
    save(store, "A", 1, 50)
    save(store, "A", 1, 90)
    broken["step00000000090"] = fault("It cannot be read.")
    told: list[str] = []
    store = SnapshotStore(tmp_path, told.append)
    assert mark(store.newest(1)) == ["A", 1, 50]
    for steps in (60, 70, 80):
        save(store, "A", 1, steps)
    assert len(told) == 1
    assert str(tmp_path) in told[0]
    broken.clear()

    assert mark(SnapshotStore(tmp_path).newest(1)) == ["A", 1, 90]


def test_what_could_not_be_read_goes_when_the_training_is_past_it(
    broken: dict[str, Exception], tmp_path: Path
) -> None:
    save(SnapshotStore(tmp_path), "A", 1, 90)
    broken["step00000000090"] = UnreadableSnapshot("")
    store = SnapshotStore(tmp_path)
    assert store.newest(1) is None
    save(store, "A", 1, 80)
    assert len(list(tmp_path.glob("*.snapshot"))) == 2
    save(store, "A", 1, 100)
    assert not list(tmp_path.glob("*step00000000090*"))


@pytest.fixture(params=[errno.EINVAL, errno.ENOTSUP])
def without_folder_sync(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that refuses to flush folders, as some of FUSE and SMB do."""
    sync = os.fsync

    def refuse(file: int) -> None:
        if Path(f"/proc/self/fd/{file}").is_dir():
            raise OSError(request.param, os.strerror(request.param))
        sync(file)

    monkeypatch.setattr(flushing.os, "fsync", refuse)


@pytest.mark.usefixtures("without_folder_sync")
def test_a_disk_that_cannot_flush_folders(tmp_path: Path) -> None:
    told: list[str] = []
    store = SnapshotStore(tmp_path, told.append)
    for steps in (30, 7, 40, 50):
        save(store, "A", 1, steps)

    assert len(list(tmp_path.iterdir())) == 2
    assert mark(SnapshotStore(tmp_path).newest(1)) == ["A", 1, 50]
    (sentence,) = told
    assert "fsync of a folder" in sentence


def test_a_disk_that_fails_to_flush_costs_that_snapshot(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    store = SnapshotStore(tmp_path)

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(flushing.os, "fsync", fail)
        with pytest.raises(OSError, match="Input/output"):
            save(store, "A", 1, 10)
    save(store, "A", 1, 20)
    assert mark(SnapshotStore(tmp_path).newest()) == ["A", 1, 20]


def test_what_another_script_left_does_not_come_between(
    folder: Path, broken: dict[str, Exception]
) -> None:
    """Script A cannot read its own now, and that of B was set aside."""
    store = SnapshotStore(folder)
    assert find(folder, "B", 1, store) is None
    save(store, "B", 1, 3)
    assert find(folder, "A", 1) == ["A", 1, 20]
    broken["fit00001-end"] = UnreadableSnapshot("")
    assert find(folder, "A", 1) is None
    broken.clear()
    assert find(folder, "A", 1) == ["A", 1, 20]
