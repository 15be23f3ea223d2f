"""How long a training took: one thing, whoever has seen how much of it."""

import msgspec
import pytest
from monitor.journal_of import JournalOf

from fitguard.fleet.records import RunRecord, read_record
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training, Worker
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.fleet import FleetJob

JOB = FleetJob(name="a", command=("train.py",), folder="/project", memory_bytes=1)


def train(one, *ends):
    one.begin([Worker(None, None, ("node", n), end) for n, end in enumerate(ends)])
    one.stop()
    return one.describe(str, "").seconds


def test_what_the_record_tells_counts_also_what_was_before_this_fleet():
    one = Training(JOB, memory_bytes=1, seconds=100.0)
    ended = [Ended(exit_code=0, record=RunRecord(run="a", seconds=told)) for told in (700.0, 640.0)]
    assert train(one, *ended) == 700


def test_without_a_record_the_clock_of_the_fleet_counts():
    one = Training(JOB, memory_bytes=1, seconds=100.0)
    unreadable = Ended(exit_code=0, record=RunRecord(run="a", why="it cannot be read"))
    assert 100 < train(one, "its actor was lost") < train(one, unreadable)


def test_time_in_which_nobody_trained_is_left_out(tmp_path):
    told = JournalOf().run().start(0).save(5).end("killed")
    told.run(resumed=True).start(5).save(8).end("finished")
    gap_seconds = 3600.0
    later = [msgspec.structs.replace(one, time=one.time + gap_seconds) for one in told.events[5:]]
    folder = RunFolder(tmp_path / "r1")
    folder.path.mkdir(mode=0o700)
    journal = Journal(folder.journal)
    for event in (*told.events[:5], *later):
        journal.append(event)
    assert read_record(tmp_path, "r1").seconds == pytest.approx(6)
