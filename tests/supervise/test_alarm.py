"""What detectors find is told once, and acted on where memory ends, in real processes."""

from supervise.parents import Parent

from fitguard.schema.journal import Alerted, AttemptStarted, SnapshotWritten

TRAINING = """
import pathlib
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import now
from fitguard.monitor.run_folder import RunFolder

GIB = 2.0**30
path = training.folder.flight_records / "child.record"
path.unlink(missing_ok=True)

def record(low, peak):
    "Twenty minutes that are still to come."
    names = ("allocator_low_bytes", "allocator_peak_bytes", "allocator_limit_bytes")
    recorder = FlightRecorder(path, names)
    begun = now() + 1
    for count in range(240):
        values = (low(count / 12) * GIB, peak(count / 12) * GIB, 16 * GIB)
        recorder.add(begun + 5 * count, count, dict(zip(names, values)))
    recorder.close()

if training.attempt == 1:
    {recorded}
for step in training.steps(1500 if training.attempt == 1 else training.done + 3):
    pass
"""
LEAK = "record(lambda minutes: 5 + 0.4 * minutes, lambda minutes: 7.2 + 0.4 * minutes)"
RISING = "record(lambda minutes: 1, lambda minutes: 5 + 0.5 * minutes)"
SLOW_LEAK = "record(lambda minutes: 2 + 0.01 * minutes, lambda minutes: 3 + 0.01 * minutes)"


def run(folder, recorded):
    parent = Parent(folder, TRAINING.replace("{recorded}", recorded))
    assert parent.ended() == 0, parent.err
    return parent


def test_a_leak_leads_to_a_planned_restart(tmp_path):
    parent = run(tmp_path, LEAK)
    [alert] = [alert for alert in parent.events(Alerted) if alert.code == "FG410"]
    assert (alert.attempt, alert.severity, alert.cause) == (1, "error", "gpu-memory-leak")
    assert alert.numbers["left_seconds"] < 300
    assert parent.err.count("fitguard: FG410 TensorFlow's memory leaks 24.0 GiB an hour.") == 1
    document = parent.run()
    assert [one["slug"] for one in document["alerts"]].count("gpu-leak") == 1
    first, second = document["attempts"]
    assert (first["outcome"], first["cause"]) == ("planned", "gpu-memory-leak")
    assert first["steps_lost"] == 0
    assert second["outcome"] == "finished"


def test_steps_that_take_more_and_more_lead_to_smaller_parts(tmp_path):
    parent = run(tmp_path, RISING)
    assert [attempt["outcome"] for attempt in parent.run()["attempts"]] == ["planned", "finished"]
    orders = [event.orders for event in parent.events(AttemptStarted)]
    assert [order.micro_batches for order in orders] == [{}, {"1": 16}]


def test_what_is_far_off_is_only_told(tmp_path):
    parent = run(tmp_path, SLOW_LEAK)
    assert [alert.code for alert in parent.events(Alerted)] == ["FG410"]
    assert len(parent.run()["attempts"]) == 1
    assert not parent.events(SnapshotWritten)
