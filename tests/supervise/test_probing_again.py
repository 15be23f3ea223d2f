"""After a fault that may be the hardware's, the probes really run before it starts again."""

from programs import wait_for
from supervise.parents import Parent

from fitguard.schema.journal import AttemptStarted, Decided, Probed

DIES_ONCE = """
import os, sys
for step in training.steps(30):
    if step == 10 and training.attempt == 1:
        training.save()
        sys.stderr.write("NVRM: Xid (PCI:0000:01:00): 94, pid=1, Contained: SM ECC error\\n")
        sys.stderr.flush()
        os.abort()
"""
"""The driver's line stands in its own output: this machine has no GPU whose kernel could log it."""


def run(tmp_path, monkeypatch, fault="", **options):
    monkeypatch.setenv("FITGUARD_PROBE_FAULT", fault)
    return Parent(tmp_path, DIES_ONCE, **options)


def test_where_no_device_is_left_it_stops_and_says_why(tmp_path, monkeypatch):
    parent = run(tmp_path, monkeypatch, "matmul-float32:wrong-bits")
    assert parent.ended() == 134
    assert len(parent.events(AttemptStarted)) == 1
    (decided,) = parent.events(Decided)
    assert decided.action == "stop"
    assert "CPU fails the probe matmul-float32" in decided.text
    assert "wrong in 1 of" in parent.events(Probed)[0].text
    assert "to do: " in parent.err


def test_a_hang_of_the_probe_is_ended(tmp_path, monkeypatch):
    parent = run(tmp_path, monkeypatch, "import-tensorflow:hang", probe_seconds=3.0)
    wait_for(lambda: "It starts again" in parent.err)
    parent.process.terminate()
    assert parent.ended() == 75
    assert "No answer after 3.0 s" in parent.events(Probed)[0].text


def test_who_calls_it_away_does_not_wait_for_the_probe(tmp_path, monkeypatch):
    parent = run(tmp_path, monkeypatch, "import-tensorflow:hang")
    wait_for(lambda: "probes the processor" in parent.err)
    parent.process.terminate()
    assert parent.ended() == 75
    assert parent.events(Probed) == []


def test_it_can_be_turned_off(tmp_path, monkeypatch):
    parent = run(tmp_path, monkeypatch, "*:exception", probe=False)
    wait_for(lambda: "It starts again" in parent.err)
    parent.process.terminate()
    assert parent.ended() == 75
    assert parent.events(Probed) == []
