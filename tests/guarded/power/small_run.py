"""A guarded run in small, done by the real parts: what parent and child write, and restore.

Two attempts of two `fit` calls. The first is lost with its parent in the second `fit`; the next one
goes on from the newest snapshot. Each step adds a line to two logs of the script: one that the run
has made, and one that was there before it.
"""

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from guarded.power.recording import Recorder

from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.keras.world import (
    fit_begins,
    flush_files,
    read_files,
    watching,
    write_files,
)
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.flushing import sync_folder
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import now
from fitguard.schema.journal import (
    AttemptStarted,
    FitBegan,
    FitEnded,
    Logged,
    RunEnded,
    SnapshotWritten,
)
from fitguard.schema.run import Place
from fitguard.supervise.claim import Claim, claiming_run
from fitguard.supervise.command import Command
from fitguard.supervise.options import NEWEST, RunOptions

RUNS = "runs"
LOGS = {"logs/new.csv": "", "history.csv": "from before the run\n"}
"""With what is in them before the run."""
SAVED = [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4)]
"""Fit and step of each snapshot, in their order."""
_COMMAND = Command("python", ("train.py",))


def content_of(fit: int, step: int) -> Content:
    """What a snapshot holds."""
    arrays = {
        "weights": np.full(150, 1000 * fit + step, "int64"),
        "empty": np.zeros((0, 3), "float32"),
        "bytes": np.arange(70, dtype="uint8"),
        "frozen": np.arange(700, dtype="int64"),
    }
    return Content({"mark": [fit, step], "files": read_files()}, arrays)


def log_of(name: str, fit: int, step: int) -> str:
    """What a log holds at a snapshot."""
    passed = SAVED[: SAVED.index((fit, step)) + 1]
    return LOGS[name] + "".join(_line(name, f"fit {fit}, step {step}") for fit, step in passed)


def _line(name: str, text: str) -> str:
    return f"{name}: {text} {'and more ' * 9}\n"


class SmallRun:
    """Both sides of it, and what they promise.

    Args:
        recorder: Gets the promises.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def train(self) -> None:
        """All of it, in the working directory."""
        _write_durably("history.csv", LOGS["history.csv"])
        os.mkdir("logs")
        sync_folder(Path("."))
        with self._attempting(1, resume=None) as (child, _):
            child.fit(1, range(1, 3), ends=True)
            child.fit(2, range(1, 4), ends=False)
            child.log("never in a snapshot")
        with self._attempting(2, resume=NEWEST) as (child, claim):
            child.restore()
            child.fit(2, range(4, 5), ends=True)
            child.promise_logs()
            claim.record.add(RunEnded(time=now(), state="finished", exit_code=0))
            self._promise_journal(claim)
            shutil.rmtree(claim.folder.kept_files)

    @contextlib.contextmanager
    def _attempting(self, number: int, resume: str | None) -> Iterator[tuple["Child", Claim]]:
        options = RunOptions(runs_folder=Path(RUNS), resume=resume, quiet=True)
        with claiming_run(_COMMAND, options, print) as claim:
            self._promise_journal(claim)
            claim.record.order(claim.orders)
            Heartbeat(claim.folder.heartbeat, create=True).close()
            started = AttemptStarted(
                time=now(), attempt=number, pid=os.getpid(), orders=claim.orders
            )
            claim.record.add(started)
            self._promise_journal(claim)
            record = FlightRecorder(claim.folder.flight_records / "child.record", ("attempt",))
            record.add(now(), number, {"attempt": number})
            session = Session.of(claim.folder)
            with watching(session):
                child = Child(session, self._recorder)
                yield child, claim
                child.close()

    def _promise_journal(self, claim: Claim) -> None:
        self._recorder.promise("journal", claim.folder.journal.read_bytes())


class Child:
    """The training process of one attempt."""

    def __init__(self, session: Session, recorder: Recorder) -> None:
        self._session = session
        self._recorder = recorder
        self._store = SnapshotStore(session.folder.snapshots)
        self._writer = SnapshotWriter(
            self._store,
            on_written=self._on_written,
            on_failed=self._on_failed,
            prepare=flush_files,
        )

    def fit(self, number: int, steps: range, *, ends: bool) -> None:
        """Take steps, with a snapshot after each."""
        fit_begins()
        self._session.record(FitBegan, place=Place(fit=number), library="none")
        for step in steps:
            place = Place(fit=number, step=step, total_steps=step)
            self.log(f"fit {number}, step {step}")
            self._session.record(Logged, place=place, logs={"loss": 1.0})
            content = content_of(number, step)
            self._writer.submit(content, place, 0.0, end=ends and step == steps[-1])
            assert self._writer.wait(60)
        if ends:
            self._session.record(FitEnded, place=place, durable=True)
            self._recorder.promise("journal", self._session.folder.journal.read_bytes())

    def log(self, text: str) -> None:
        """What the script does itself, with care."""
        for name in LOGS:
            _write_durably(name, _line(name, text))
            self._recorder.promise("line", _line(name, text))

    def restore(self) -> None:
        """Files as the newest snapshot has them; what was logged later goes aside."""
        newest = self._store.newest()
        assert newest is not None
        assert write_files(newest.document["files"]) == []

    def promise_logs(self) -> None:
        """The script has ended; what it has written stays."""
        for name in LOGS:
            self._recorder.promise("log", (name, Path(name).read_bytes()))

    def close(self) -> None:
        """The process ends."""
        self._writer.close()

    def _on_written(self, place: Place, size: int, taking: float, writing: float, _: bool) -> None:
        self._recorder.promise("saved", (place.fit, place.step))
        self._session.record(
            SnapshotWritten,
            place=place,
            bytes=size,
            taking_seconds=taking,
            writing_seconds=writing,
        )

    def _on_failed(self, place: Place, error: OSError) -> None:
        raise AssertionError(f"{place}: {error}")


def _write_durably(name: str, line: str) -> None:
    with open(name, "a") as log:
        log.write(line)
        log.flush()
        os.fsync(log.fileno())
    sync_folder(Path(name).parent)
