"""What the parent knows of its run while it cannot write it down."""

from pathlib import Path

import pytest
from guarded.faulty_disk import ERRORS, faulty

from fitguard.monitor.journal import Journal, now
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import AttemptEnded, AttemptStarted, Orders, RunStarted
from fitguard.supervise.record import Record

STARTED = RunStarted(
    time=now(), id="one", command=("train.py",), python="python", working_directory="/", seed=1
)
EVENTS = [
    AttemptStarted(time=now(), attempt=1, pid=1, orders=Orders()),
    AttemptEnded(time=now(), attempt=1, outcome="killed"),
]


@pytest.mark.parametrize("fault", [*ERRORS, "short"])
def test_events_that_cannot_be_written_count_and_are_written_later(
    tmp_path: Path, fault: str
) -> None:
    said: list[str] = []
    record = Record(RunFolder(tmp_path), said.append, lambda: None)
    with faulty(tmp_path) as disk:
        record.add(STARTED)
        disk.fault = fault
        for event in EVENTS:
            record.add(event)
        assert record.events() == [STARTED, *EVENTS]
        disk.fault = ""
        record.add(STARTED)

    assert Journal(record.folder.journal).read() == [STARTED, *EVENTS, STARTED]
    assert len(said) == 1
    assert "the journal cannot be written" in said[0]


def test_what_is_there_without_being_synced_is_not_written_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: int) -> None:
        raise OSError(5, "Input/output error")

    record = Record(RunFolder(tmp_path), lambda _: None, lambda: None)
    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", fail)
        record.add(STARTED)
    record.add(EVENTS[0])

    assert record.events() == Journal(record.folder.journal).read() == [STARTED, EVENTS[0]]
