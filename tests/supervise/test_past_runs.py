"""Runs read back from their folders."""

import fcntl
import json
import os
from pathlib import Path

import msgspec
import pytest
from monitor.journal_of import JournalOf, at

import fitguard
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.journal import AnyEvent, Logged, RunEnded


def killed_once() -> list[AnyEvent]:
    """The journal of a run that was killed at step 7, and went on from step 5."""
    journal = JournalOf().run().start(0)
    journal.tell(Logged, place=at(5), logs={"loss": 0.75}).save(5)
    journal.end("killed", 7, signal="SIGKILL", cause="host-oom")
    return journal.start(5).tell(Logged, place=at(9), logs={"loss": 0.25}).events


def kept(folder: Path, name: str, events: list[AnyEvent]) -> RunFolder:
    """A run folder with this journal, and one sample."""
    run = RunFolder(folder / name)
    run.path.mkdir(parents=True)
    for event in events:
        assert Journal(run.journal).append(
            msgspec.structs.replace(event, id=name) if hasattr(event, "id") else event
        )
    recorder = FlightRecorder(run.flight_records / "parent.record", ("attempt", "host_bytes"))
    recorder.add(101.0, 0, {"attempt": 1, "host_bytes": 5})
    return run


@pytest.fixture
def runs(tmp_path):
    """A folder with two runs: one that was cut off, a finished one after it."""
    kept(tmp_path, "20251115-100000-train-aaaa", killed_once())
    ended = JournalOf().run().start(0).end("finished", 40)
    ended.tell(RunEnded, state="finished", exit_code=0)
    later = [msgspec.structs.replace(event, time=event.time + 1000) for event in ended.events]
    kept(tmp_path, "20251115-110000-other-bbbb", later)
    (tmp_path / "no-run").mkdir()
    return tmp_path


def test_a_list_has_them_in_the_order_of_time(runs):
    first, last = fitguard.list_runs(runs).runs
    assert (first.id, first.state) == ("20251115-100000-train-aaaa", "lost")
    assert (first.attempts, first.steps, first.loss, first.cause) == (2, 9, 0.25, "host-oom")
    assert (last.id, last.state, last.steps) == ("20251115-110000-other-bbbb", "finished", 40)
    assert last.loss is None


def test_no_folder_is_an_empty_list(tmp_path):
    assert fitguard.list_runs(tmp_path / "absent").runs == ()


def test_a_file_in_place_of_the_folder_is_unreadable(tmp_path):
    (tmp_path / "runs").write_text("")
    with pytest.raises(UnreadableInput, match=r"runs: Not a directory. Expected the folder of all"):
        fitguard.list_runs(tmp_path / "runs")


def test_a_broken_journal_does_not_hide_the_others(runs):
    broken = runs / "20251115-120000-train-cccc"
    broken.mkdir()
    (broken / "journal.jsonl").write_bytes(b'\x00\xff{"event": "run-st')
    listed = fitguard.list_runs(runs)
    assert len(listed.runs) == 2
    assert "no line of it is an event" in listed.unreadable[0]
    with pytest.raises(UnreadableInput, match="no line of it is an event"):
        fitguard.read_run("cccc", runs_folder=runs)


def test_a_run_is_folded_anew_from_its_journal(runs):
    run = fitguard.read_run("20251115-100000-train-aaaa", runs_folder=runs)
    assert [attempt.outcome for attempt in run.attempts] == ["killed", "lost"]
    assert run.attempts[0].steps_lost == 2
    assert len(run.saved) == run.snapshots.count == 1
    assert run.samples[0].host_bytes == 5
    assert "Cut off after 2 attempts" in run._repr_html_()


@pytest.mark.parametrize("given", ["20251115-1000", "train", "aaaa"])
def test_a_part_of_the_id_is_enough(runs, given):
    assert fitguard.read_run(given, runs_folder=runs).id == "20251115-100000-train-aaaa"


def test_last_is_the_one_in_which_something_happened_last(runs):
    first = RunFolder(runs / "20251115-100000-train-aaaa")
    stamp = first.journal.stat().st_mtime + 100
    os.utime(first.journal, (stamp, stamp))
    assert fitguard.read_run(runs_folder=runs).id == first.id


def test_a_folder_and_a_document_are_enough(runs, tmp_path):
    folder = runs / "20251115-110000-other-bbbb"
    run = fitguard.read_run(folder)
    assert run.state == "finished"
    file = tmp_path / "sent.json"
    file.write_bytes(msgspec.json.encode(run))
    assert fitguard.read_run(file) == run


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", json.dumps({"schema": "x/1"}).encode()])
def test_a_document_that_is_none(tmp_path, content):
    file = tmp_path / "run.json"
    file.write_bytes(content)
    with pytest.raises(UnreadableInput, match=r"Expected a run.json of fitguard"):
        fitguard.read_run(file)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("20251115", r"which 2 runs begin with or hold: 20251115-100000-train-aaaa, 20251115-1100"),
        ("zzzz", r"which is no run in .* Expected `last`, the folder of a run, or an id: 20251115"),
    ],
)
def test_an_id_that_is_not_one(runs, given, told):
    with pytest.raises(UsageError, match=told):
        fitguard.read_run(given, runs_folder=runs)


def test_no_runs_at_all(tmp_path):
    with pytest.raises(UsageError, match="but there are no runs in "):
        fitguard.read_run("last", runs_folder=tmp_path)


def test_a_run_that_somebody_guards_is_running(runs):
    folder = RunFolder(runs / "20251115-100000-train-aaaa")
    with folder.lock.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert fitguard.read_run(folder.path).state == "running"
        assert fitguard.list_runs(runs).runs[0].state == "running"
    assert fitguard.read_run(folder.path).state == "lost"
