"""What the folders of runs tell: how much is done, and how long it took."""

import pytest

from fitguard.fleet.records import read_record
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import (
    AttemptEnded,
    AttemptStarted,
    FitBegan,
    Orders,
    RunStarted,
    SnapshotWritten,
)
from fitguard.schema.run import Place


def write_run(folder, *events):
    (folder / "a").mkdir(mode=0o700)
    journal = Journal(RunFolder(folder / "a").journal)
    for event in (RunStarted(time=0.0, id="a", command=("t.py",)), *events):
        journal.append(event)
    return read_record(folder, "a")


def start(time, attempt, epochs=None, fit=1):
    orders = Orders(attempt=attempt)
    place = Place(fit=fit)
    return (
        AttemptStarted(time=time, attempt=attempt, pid=1, orders=orders),
        FitBegan(time=time, attempt=attempt, place=place, library="keras", epochs=epochs),
    )


def save(time, attempt, epoch, fit=1):
    place = Place(fit=fit, epoch=epoch)
    return SnapshotWritten(
        time=time, attempt=attempt, place=place, bytes=1, taking_seconds=0.0, writing_seconds=0.0
    )


def end(time, attempt):
    return AttemptEnded(time=time, attempt=attempt, outcome="preempted")


def test_the_part_that_is_done_and_the_time_without_pauses(tmp_path):
    first = (*start(100.0, 1, epochs=8), save(150.0, 1, 1), end(160.0, 1))
    second = (*start(5000.0, 2, epochs=8), save(5050.0, 2, 2), end(5060.0, 2))
    record = write_run(tmp_path, *first, *second)
    assert record.share_done == 0.25
    assert record.seconds == 120


@pytest.mark.parametrize(
    "events",
    [
        (*start(1.0, 1), save(2.0, 1, 3), end(3.0, 1)),  # nobody knows of how many
        (*start(1.0, 1, epochs=4, fit=2), save(2.0, 1, 3, fit=2), end(3.0, 1)),
        (*start(1.0, 1, epochs=4), end(3.0, 1)),
    ],
)
def test_where_it_does_not_tell_nothing_is_done(tmp_path, events):
    assert write_run(tmp_path, *events).share_done == 0
