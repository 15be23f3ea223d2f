"""All runs of a folder as one document."""

import msgspec
import pytest
from monitor.journal_of import JournalOf
from supervise.test_past_runs import kept, killed_once

import fitguard
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.journal import AttemptStarted, RunEnded
from fitguard.schema.run import Run

PEAK = 3 * 2**20


def on_card(events, card):
    return [
        msgspec.structs.replace(event, card=card) if isinstance(event, AttemptStarted) else event
        for event in events
    ]


def measure(run):
    columns = ("attempt", "allocator_peak_bytes")
    recorder = FlightRecorder(run.flight_records / "child.record", columns)
    recorder.add(102.0, 0, {"attempt": 1, "allocator_peak_bytes": PEAK})


def test_attempts_cards_and_the_peak_of_the_allocator(tmp_path):
    measure(kept(tmp_path, "a", on_card(killed_once(), "gpu-1/0 NVIDIA H200")))
    (run,) = fitguard.read_runs(tmp_path).runs
    assert [(one.outcome, one.card) for one in run.attempts] == [
        ("killed", "gpu-1/0 NVIDIA H200"),
        ("lost", "gpu-1/0 NVIDIA H200"),
    ]
    assert run.attempts[0].steps_lost == 2
    assert run.peak_allocator_bytes == PEAK
    assert not run.losses


@pytest.mark.parametrize(("written", "expected"), [(7, 7), (None, PEAK)])
def test_of_a_run_that_has_ended_its_document_tells_the_peak(tmp_path, written, expected):
    events = JournalOf().run().start(0).end("finished", 40)
    run = kept(tmp_path, "a", events.tell(RunEnded, state="finished", exit_code=0).events)
    measure(run)
    document = fitguard.read_run("a", runs_folder=tmp_path)
    if written:
        changed = msgspec.structs.replace(document, peak_allocator_bytes=written)
        run.document.write_bytes(msgspec.json.encode(changed))
    else:
        run.document.write_bytes(b'{"peak_allocator_bytes": "many"}')
    (found,) = fitguard.read_runs(tmp_path).runs
    assert found.peak_allocator_bytes == expected
    assert document.peak_allocator_bytes == PEAK


def test_what_cannot_be_read_is_told_and_hides_nothing(tmp_path):
    kept(tmp_path, "a", killed_once())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "journal.jsonl").write_bytes(b'\x00\xff{"event": "run-st')
    kept(tmp_path, "c", killed_once()).path.chmod(0o777)
    told = []
    found = fitguard.read_runs(tmp_path, tell=lambda *what: told.append(what))
    assert [run.id for run in found.runs] == ["a"]
    assert "no line of it is an event" in found.unreadable[0]
    assert "everybody may write to it" in found.unreadable[1]
    assert told == [("a", 0, 3), ("b", 1, 3), ("c", 2, 3)]
    assert [run.id for run in fitguard.read_runs(tmp_path, trust_folder=True).runs] == ["a", "c"]


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "runs").touch()
    with pytest.raises(UnreadableInput, match="Expected the folder of all runs"):
        fitguard.read_runs(tmp_path / "runs")


def test_what_a_hostile_folder_tells_stays_a_document(tmp_path):
    events = on_card(killed_once(), "\x1b[2J<b>" * 100)
    for number in range(3):
        kept(tmp_path, f"{number}\x1b[31m<script>", events)
    found = fitguard.read_runs(tmp_path)
    again = msgspec.json.decode(msgspec.json.encode(found.runs[0]), type=Run)
    assert again == found.runs[0]
    for shown in (str(found), found._repr_html_()):
        assert "\x1b" not in shown
        assert "<script>" not in found._repr_html_()
