"""Opens what a power cut left, as the next attempt does, and says what is wrong with it."""

import contextlib
from pathlib import Path

import msgspec
from guarded.power.small_run import RUNS, content_of
from guarded.power.states import State

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.world.contents import digest_at
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import read_samples
from fitguard.schema.journal import Orders, RunEnded
from fitguard.schema.run import Place, Run

ORDER = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4)]
"""Fit and step of the snapshots, the last ones the newest."""


def find_fault(home: Path, state: State) -> str:
    """What is not as it must be; empty where all is."""
    found = sorted((home / RUNS).glob("*"))
    folders = [RunFolder(path) for path in found if path.is_dir()]
    if not folders:
        return f"the run is gone: {state.promises[0]}" if state.promises else ""
    try:
        _check(folders[0], state)
    except AssertionError as error:
        return str(error)
    return ""


def _check(folder: RunFolder, state: State) -> None:
    _check_journal(folder, state)
    _check_documents(folder, state)
    _check_snapshots(folder, state)


def _check_journal(folder: RunFolder, state: State) -> None:
    journal = Journal(folder.journal)
    found = journal.read()
    durable = [promise.value for promise in state.promises if promise.kind == "journal"]
    if durable:
        folder_there = folder.path.with_name("promised.jsonl")
        folder_there.write_bytes(durable[-1])
        assert found[: len(promised := Journal(folder_there).read())] == promised, "events are lost"
    event = RunEnded(time=now(), state="finished", exit_code=0)
    assert journal.append(event)
    assert journal.read() == [*found, event], "what comes after a power cut is lost"


def _check_documents(folder: RunFolder, state: State) -> None:
    for path, kind in ((folder.orders, Orders), (folder.document, Run)):
        with contextlib.suppress(FileNotFoundError):
            msgspec.json.decode(path.read_bytes(), type=kind)
    assert all(sample.attempt in (1, 2) for sample in read_samples(folder.samples))


def _check_snapshots(folder: RunFolder, state: State) -> None:
    store = SnapshotStore(folder.snapshots)
    newest = store.newest()
    saved = [promise.value for promise in state.promises if promise.kind == "saved"]
    if saved:
        assert newest is not None, f"{saved[-1]} was reported as written, and none is there"
    if newest is not None:
        mark = tuple(newest.document["mark"])
        assert not saved or ORDER.index(mark) >= ORDER.index(saved[-1]), f"{mark} after {saved[-1]}"
        expected = content_of(*mark).arrays
        assert {k: v.tobytes() for k, v in newest.arrays.items()} == {k: v.tobytes() for k, v in expected.items()}, "torn"
        for path, entry in newest.document["files"]["files"].items():
            if entry[1]:
                kept = folder.files / "kept" / entry[1]
                assert kept.exists(), f"{path} of {mark} is not kept"
                assert digest_at(str(kept)) == entry[1], f"the copy of {path} of {mark} is torn"
    assert not store.torn, store.torn
    store.save(Content({"mark": [9, 9]}, {}), Place(fit=9, total_steps=9))
    again = SnapshotStore(folder.snapshots).newest()
    assert again is not None
    assert again.document["mark"] == [9, 9]
    assert not list(folder.snapshots.glob("*.part"))
