"""A guarded run in small, done by the real parts: what parent and child write, and restore.

Two attempts of two `fit` calls. The first is lost with its parent after some steps of the second
`fit`; the next one goes on from the newest snapshot. Each step adds a line to a log of the script.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from guarded.power.recording import Recorder

from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.keras.world import World, fit_begins, read_files, watching, write_files
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import now
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import append_sample
from fitguard.schema.journal import AttemptStarted, FitBegan, FitEnded, Logged, SnapshotWritten
from fitguard.schema.run import MemorySample, Place
from fitguard.supervise.claim import Claim, claiming_run
from fitguard.supervise.command import Command
from fitguard.supervise.options import NEWEST, RunOptions

COMMAND = Command("python", ("train.py",))
RUNS = "runs"
LOG = "logs/log.csv"


def content_of(fit: int, step: int) -> Content:
    """What a snapshot holds, told by its place."""
    arrays = {
        "weights": np.full(150, 1000 * fit + step, "int64"),
        "empty": np.zeros((0, 3), "float32"),
        "bytes": np.arange(70, dtype="uint8"),
    }
    return Content({"mark": [fit, step], "files": read_files()}, arrays)


class SmallRun:
    """Its two sides, and what each promises.

    Args:
        recorder: Gets the promises.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def train(self) -> None:
        """All of it, in the working directory."""
        with self._attempting(1, resume=None) as child:
            child.fit(1, range(1, 3), ends=True)
            child.fit(2, range(1, 4), ends=False)
        with self._attempting(2, resume=NEWEST) as child:
            child.restore()
            child.fit(2, range(4, 5), ends=True)

    @contextlib.contextmanager
    def _attempting(self, number: int, resume: str | None) -> Iterator["Child"]:
        options = RunOptions(runs_folder=Path(RUNS), resume=resume)
        with claiming_run(COMMAND, options, print) as claim:
            self._promise_journal(claim.folder)
            claim.record.order(claim.orders)
            self._recorder.promise("orders", claim.orders)
            Heartbeat(claim.folder.heartbeat, create=True).close()
            self._start(claim, number)
            session = Session.of(claim.folder)
            with watching(session) as world:
                child = Child(session, world, self._recorder)
                yield child
                child.close()

    def _start(self, claim: Claim, number: int) -> None:
        started = AttemptStarted(
            time=now(), attempt=number, pid=os.getpid(), orders=claim.orders
        )
        claim.record.add(started)
        self._promise_journal(claim.folder)
        append_sample(claim.folder.samples, MemorySample(time=now(), attempt=number))

    def _promise_journal(self, folder: RunFolder) -> None:
        self._recorder.promise("journal", folder.journal.read_bytes())


class Child:
    """The training process of one attempt."""

    def __init__(self, session: Session, world: World, recorder: Recorder) -> None:
        self._session = session
        self._world = world
        self._recorder = recorder
        self._store = SnapshotStore(session.folder.snapshots)
        self._writer = SnapshotWriter(
            self._store, on_written=self._on_written, on_failed=self._on_failed
        )
        os.makedirs("logs", exist_ok=session.orders.attempt > 1)

    def fit(self, number: int, steps: range, *, ends: bool) -> None:
        """Take steps, with a snapshot after each."""
        fit_begins()
        self._session.record(FitBegan, place=Place(fit=number), library="none")
        for step in steps:
            place = Place(fit=number, step=step, total_steps=step)
            self._log(f"{number},{step},{'x' * 40}\n")
            self._session.record(Logged, place=place, logs={"loss": 1.0})
            self._save(place, ends and step == steps[-1])
        if ends:
            self._session.record(FitEnded, place=place, durable=True)
            self._recorder.promise("journal", self._session.folder.journal.read_bytes())

    def restore(self) -> None:
        """Files as the newest snapshot has them; what was logged later goes aside."""
        newest = self._store.newest()
        assert newest is not None
        assert write_files(newest.document["files"]) == []

    def close(self) -> None:
        """The process ends."""
        self._writer.close()

    def _log(self, line: str) -> None:
        with open(LOG, "a") as log:
            log.write(line)
            log.flush()
            os.fsync(log.fileno())

    def _save(self, place: Place, end: bool) -> None:
        self._writer.submit(content_of(place.fit, place.step), place, 0.0, end=end)
        assert self._writer.wait(60)

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
