"""Snapshots are written beside the training, and a bad disk never stops it."""

import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import LONGEST_SECONDS

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.schema.run import Place


class Record:
    """What the writer tells; can hold it up while it does."""

    def __init__(self) -> None:
        self.written: list[tuple[Place, int, float, float, bool]] = []
        self.failed: list[tuple[Place, OSError]] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.reached = threading.Event()
        self.nice = 0

    def on_written(self, *told: Any) -> None:
        self.written.append(told)
        self.nice = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
        self.reached.set()
        self.go_on.wait(LONGEST_SECONDS)

    def on_failed(self, *told: Any) -> None:
        self.failed.append(told)

    @property
    def steps(self) -> list[int]:
        return [told[0].total_steps for told in self.written]


@pytest.fixture
def record() -> Record:
    return Record()


@pytest.fixture
def writer(tmp_path: Path, record: Record) -> Iterator[SnapshotWriter]:
    (tmp_path / "run").mkdir()
    store = SnapshotStore(tmp_path / "run" / "snapshots")
    writer = SnapshotWriter(store, on_written=record.on_written, on_failed=record.on_failed)
    yield writer
    record.go_on.set()
    writer.close()


def submit(writer: SnapshotWriter, steps: int, **options: Any) -> None:
    content = Content({}, {"x": np.full(1000, steps)})
    writer.submit(content, Place(fit=1, total_steps=steps), 0.25, **options)


def test_it_is_on_the_disk_after_wait(
    writer: SnapshotWriter, record: Record, tmp_path: Path
) -> None:
    submit(writer, 3)
    assert writer.wait(LONGEST_SECONDS)

    newest = SnapshotStore(tmp_path / "run" / "snapshots").newest()
    assert newest is not None
    assert newest.arrays["x"][0] == 3
    ((place, size, taking, writing, end),) = record.written
    assert (place.total_steps, taking, end) == (3, 0.25, False)
    assert size > 8000
    assert writing > 0
    assert writer.cpu_seconds >= writer.last_cpu_seconds > 0


def test_it_is_nicer_than_the_training(writer: SnapshotWriter, record: Record) -> None:
    submit(writer, 1)
    writer.wait(LONGEST_SECONDS)

    ours = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert record.nice == min(19, ours + 10)


def test_a_newer_one_takes_the_place_of_the_waiting_one(
    writer: SnapshotWriter, record: Record
) -> None:
    record.go_on.clear()
    submit(writer, 1)
    assert record.reached.wait(LONGEST_SECONDS)
    for steps in (2, 3, 4):
        submit(writer, steps)
    assert not writer.wait(0.01)
    record.go_on.set()
    assert writer.wait(LONGEST_SECONDS)

    assert record.steps == [1, 4]


def test_an_end_is_never_dropped(writer: SnapshotWriter, record: Record, tmp_path: Path) -> None:
    record.go_on.clear()
    submit(writer, 1)
    assert record.reached.wait(LONGEST_SECONDS)
    submit(writer, 2)
    submit(writer, 3, end=True)
    later = threading.Thread(target=submit, args=(writer, 4))
    later.start()
    later.join(0.2)
    assert later.is_alive()
    record.go_on.set()
    later.join(LONGEST_SECONDS)
    assert writer.wait(LONGEST_SECONDS)

    assert record.steps == [1, 3, 4]
    assert list((tmp_path / "run" / "snapshots").glob("*-end-*"))


def test_a_folder_that_vanishes_and_comes_back(
    writer: SnapshotWriter, record: Record, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "run")
    submit(writer, 1)
    assert writer.wait(LONGEST_SECONDS)
    assert [place.total_steps for place, _ in record.failed] == [1]
    assert isinstance(record.failed[0][1], FileNotFoundError)

    (tmp_path / "run").mkdir()
    submit(writer, 2)
    assert writer.wait(LONGEST_SECONDS)
    assert record.steps == [2]


def test_what_cannot_be_stored_is_a_failure_too(writer: SnapshotWriter, record: Record) -> None:
    writer.submit(Content({}, {"x": np.array([object()])}), Place(), 0.0)
    assert writer.wait(LONGEST_SECONDS)

    assert "pickle" in str(record.failed[0][1])
    submit(writer, 2)
    assert writer.wait(LONGEST_SECONDS)
    assert record.steps == [2]


def test_close_writes_what_waits_and_takes_no_more(writer: SnapshotWriter, record: Record) -> None:
    submit(writer, 1)
    writer.close()
    submit(writer, 2)

    assert record.steps == [1]
    assert "closed" in str(record.failed[0][1])
