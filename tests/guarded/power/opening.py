"""Opens what a power cut left, as the next attempt does, and says what is wrong with it."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
from guarded.attempts import session_in
from guarded.power.disk import read_contents
from guarded.power.small_run import LOGS, RUNS, SAVED, content_of, log_of
from guarded.power.states import State
from guarded.power.trying import built

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.world import watching, write_files
from fitguard.keras.world.ledger import Ledger
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import read_samples
from fitguard.schema.journal import AnyEvent, Orders, RunEnded
from fitguard.schema.run import Place, Run

_NEXT = 3
"""The attempt after those of the small run."""


class Opening:
    """Opens states one after the other; a part that was opened before is not opened again.

    Args:
        home: Where they are built; the small run was there too.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._opened: set[tuple[str, int]] = set()

    def find_fault(self, state: State) -> str:
        """What is not as it must be; empty where all is."""
        new = [part for part in _PARTS if self._is_new(part, state)]
        if not new:
            return ""
        with built(self._home, state):
            return self._check(new, state)

    def _is_new(self, part: str, state: State) -> bool:
        belongs = _PARTS[part].belongs
        files = frozenset(item for item in state.contents.items() if belongs(item[0]))
        key = (part, hash((files, len(state.promises))))
        is_new = key not in self._opened
        self._opened.add(key)
        return is_new

    def _check(self, parts: list[str], state: State) -> str:
        folders = [path for path in (self._home / RUNS).glob("*") if path.is_dir()]
        if not folders:
            return "the run is gone" if state.promised("journal") else ""
        try:
            for part in parts:
                _PARTS[part].check(RunFolder(folders[0]), state)
        except AssertionError as error:
            return str(error)
        return ""


def _check_journal(folder: RunFolder, state: State) -> None:
    journal = Journal(folder.journal)
    found = journal.read()
    promised = [
        _decode(line) for text in state.promised("journal")[-1:] for line in text.splitlines()
    ]
    assert found[: len(promised)] == promised, "an event that was synced is lost"
    event = RunEnded(time=now(), state="finished", exit_code=0)
    assert journal.append(event)
    assert journal.read() == [*found, event], "a torn event swallows the next"


def _decode(line: bytes) -> AnyEvent:
    return msgspec.json.decode(line, type=AnyEvent)


def _check_documents(folder: RunFolder, _: State) -> None:
    for path, kind in ((folder.orders, Orders), (folder.document, Run)):
        with contextlib.suppress(FileNotFoundError):
            try:
                msgspec.json.decode(path.read_bytes(), type=kind)
            except msgspec.MsgspecError as error:
                raise AssertionError(f"{path.name} is torn: {error}") from error


def _check_lines(folder: RunFolder, _: State) -> None:
    """What comes after a torn line of deeds is not swallowed."""
    ledger = Ledger(folder.deeds, 2)
    ledger.add("folder", "/made")
    ledger.close()
    again = Ledger(folder.deeds, _NEXT)
    again.close()
    assert "/made" in again.past.folders, "a torn deed swallows the next"


def _check_flight_record(folder: RunFolder, _: State) -> None:
    """What comes after a torn sample is read."""
    recorder = FlightRecorder(folder.flight_records / "child.record", ("attempt",))
    recorder.add(now(), 0, {"attempt": _NEXT})
    assert read_samples(folder.flight_records)[-1].attempt == _NEXT, "a sample is lost"


def _check_files(folder: RunFolder, state: State) -> None:
    newest = _check_newest(folder, state)
    for name, content in state.promised("log"):
        assert Path(name).read_bytes() == content, f"{name} is not what the run left"
    if newest is not None and not state.promised("log"):
        _check_restoring(folder, newest)
    _check_nothing_is_lost(state)
    _check_going_on(folder)


def _check_newest(folder: RunFolder, state: State) -> Content | None:
    store = SnapshotStore(folder.snapshots)
    newest, saved = store.newest(), state.promised("saved")
    assert not store.torn, f"a torn snapshot has its name: {store.torn}"
    if newest is None:
        assert not saved, f"the snapshot {saved[-1]} was reported as written, and none is there"
        return None
    place = tuple(newest.document["mark"])
    late = not saved or SAVED.index(place) >= SAVED.index(saved[-1])
    assert late, f"the snapshot {saved[-1]} was reported as written, and {place} is the newest"
    expected = content_of(*place).arrays
    assert list(newest.arrays) == list(expected)
    same = all(newest.arrays[name].tobytes() == expected[name].tobytes() for name in expected)
    assert same, f"the snapshot {place} holds other numbers"
    return newest


def _check_restoring(folder: RunFolder, newest: Content) -> None:
    """Files beside the model are what they were at the snapshot."""
    session = session_in(folder.path, _NEXT)
    with watching(session):
        lost = write_files(newest.document["files"])
        assert not lost, lost
        for name in LOGS:
            expected = log_of(name, *newest.document["mark"])
            assert Path(name).read_text() == expected, f"{name} is not as it was"


def _check_nothing_is_lost(state: State) -> None:
    """What the script has synced is in its logs, or aside."""
    contents = [content for content in read_contents(Path()).values() if content]
    for line in state.promised("line"):
        lost = not any(line.encode() in content for content in contents)
        assert not lost, f"a line of the script is nowhere: {line}"


def _check_going_on(folder: RunFolder) -> None:
    store = SnapshotStore(folder.snapshots)
    store.save(Content({"mark": "later"}, {}), Place(fit=9, total_steps=9))
    later = SnapshotStore(folder.snapshots).newest()
    assert later is not None
    assert later.document["mark"] == "later"
    assert not list(folder.snapshots.glob("*.part"))


@dataclass(frozen=True)
class _Part:
    check: Callable[[RunFolder, State], None]
    belongs: Callable[[str], bool]


_RECORDS = ("journal.jsonl", "orders.json", "run.json", "child.record", "lock", "heartbeat")
_PARTS = {
    "journal": _Part(_check_journal, lambda path: path.endswith("journal.jsonl")),
    "documents": _Part(_check_documents, lambda path: path.endswith(".json")),
    "lines": _Part(_check_lines, lambda path: path.endswith("deeds.jsonl")),
    "flight": _Part(_check_flight_record, lambda path: path.endswith(".record")),
    "files": _Part(_check_files, lambda path: not path.endswith(_RECORDS)),
}
