"""The flight record of a real training: there after SIGKILL."""

from guarded.harness import GuardedRun, memory_limit

from fitguard.keras.sampling.sampler import COLUMNS
from fitguard.monitor.flight_record import read_flight_records
from fitguard.monitor.samples import list_flight_records
from fitguard.schema.journal import AttemptEnded

SCRIPT = "sampled.py"
MEGABYTES = 100


def test_what_a_killed_training_measured_is_there_afterwards(tmp_path):
    limit = memory_limit(MEGABYTES)
    with GuardedRun(tmp_path / "run", SCRIPT, environment=limit) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    record = read_flight_records(list_flight_records(run.folder.flight_records))
    assert set(COLUMNS) <= set(record.columns)
    assert set(record.get("attempt").last) == {1, 2}
    died = run.events(AttemptEnded)[0].time
    last = max(time for time in record.get("allocator_bytes").times if time < died)
    assert died - last < 60, "the last moments are missing"

    limits = record.get("allocator_limit_bytes")
    assert set(limits.last) == {MEGABYTES * 2**20}
    low, peak = record.get("allocator_low_bytes"), record.get("allocator_peak_bytes")
    assert 0 < min(low.low) <= max(peak.high) < MEGABYTES * 2**20
    steps = record.get("step_seconds")
    assert min(steps.last) >= 0.01
    assert max(steps.steps) == 300
    assert set(record.get("batch_elements").last) == {4 * 8 + 4}
    assert max(record.get("traces").last) >= 1
    assert 0 < record.get("loss").last[-1] < 100
    assert max(record.get("host_bytes").high) > 100 * 2**20
