"""Samples of memory out of a flight record: thinned, with their extremes."""

import pytest

from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.samples import read_samples

PARENT = ("attempt", "host_bytes", "host_limit_bytes", "gpu_process_bytes:0", "gpu_process_bytes:1")
CHILD = ("attempt", "allocator_bytes", "allocator_peak_bytes", "largest_free_bytes")


@pytest.fixture
def parent(tmp_path):
    return FlightRecorder(tmp_path / "parent.record", PARENT)


def test_a_run_without_a_record_has_none(tmp_path):
    assert read_samples(tmp_path / "nothing") == []
    assert read_samples(tmp_path) == []


def test_parent_and_child_are_joined_by_the_second(tmp_path, parent):
    child = FlightRecorder(tmp_path / "child.record", CHILD)
    for tick in range(30):
        time = 1000 + tick / 10
        held = {"gpu_process_bytes:0": 4, "gpu_process_bytes:1": 5} if tick % 10 == 0 else {}
        parent.add(time, tick, {"attempt": 1, "host_bytes": 100 + tick, **held})
        free = {"largest_free_bytes": 50 - tick, "allocator_bytes": tick}
        child.add(time + 0.01, tick, {"attempt": 1, **free})
    samples = read_samples(tmp_path)
    assert [sample.host_bytes for sample in samples] == [109, 119, 129]
    assert [sample.gpu_bytes for sample in samples] == [9, 9, 9]
    assert [sample.allocator_bytes for sample in samples] == [9, 19, 29]
    assert [sample.largest_free_bytes for sample in samples] == [41, 31, 21]
    assert [sample.total_steps for sample in samples] == [9, 19, 29]


def test_of_many_the_extremes_stay(tmp_path, parent):
    for second in range(2000):
        spike = 7_000 if second == 777 else second % 5
        parent.add(1000.0 + second, second, {"attempt": 1, "host_bytes": spike})
    samples = read_samples(tmp_path, most=50)
    assert len(samples) <= 52
    assert max(sample.host_bytes for sample in samples) == 7_000


def test_attempts_are_kept_apart(tmp_path, parent):
    for tick in range(40):
        parent.add(1000 + tick / 100, 0, {"attempt": 1 + tick // 20, "host_bytes": tick})
    assert [(one.attempt, one.host_bytes) for one in read_samples(tmp_path)] == [(1, 19), (2, 39)]
