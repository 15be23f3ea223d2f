"""Real processes, sampled; a driver that hangs, a clock that is put back."""

import subprocess
import sys
import threading

import pytest
from facts.replay_nvml import ReplayNvml
from programs import wait_for

from fitguard.monitor.flight_record import read_flight_records
from fitguard.monitor.sampling import forward_clock
from fitguard.monitor.sampling.forward_clock import ForwardClock
from fitguard.monitor.sampling.sampler import Sampler


@pytest.fixture
def training():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.wait()


def sample(sampler, count=12):
    sampler.start()
    wait_for(lambda: sampler.taken >= count)
    sampler.stop(60)


def test_samples_are_in_the_record(tmp_path, training):
    sampler = Sampler(
        training.pid,
        tmp_path / "parent.record",
        attempt=3,
        count_steps=lambda: 70,
        disk=tmp_path,
        load=lambda: None,
    )
    sample(sampler)
    record = read_flight_records([tmp_path / "parent.record"])
    memory = record.get("host_bytes")
    assert len(memory) == len(record.get("attempt")) == sampler.taken
    assert set(record.get("attempt").last) == {3}
    assert set(memory.steps) == {70}
    assert len(record.get("threads")) < len(memory)
    assert sampler.peak_host_bytes >= max(memory.last) * 0.99
    assert sampler.relatives[0].pid == training.pid
    assert training.pid in sampler.numbers
    assert sampler.take_missing() == []


def test_gpus_have_columns(tmp_path, training):
    sampler = Sampler(training.pid, tmp_path / "parent.record", load=lambda: ReplayNvml("h200"))
    sample(sampler)
    record = read_flight_records([tmp_path / "parent.record"])
    assert record.list_gpus() == [0]
    assert record.get("gpu_temperature:0").last[-1] > 10
    assert sampler.latest["gpu_total_bytes:0"] > 2**30
    assert sampler.take_missing() == []


def test_a_driver_that_hangs_costs_its_own_figures_only(tmp_path, training, monkeypatch):
    monkeypatch.setattr("fitguard.monitor.sampling.sampler._WAIT_FOR_NVML_SECONDS", 0.2)
    monkeypatch.setattr("fitguard.monitor.sampling.gpu_watch.LATE_SECONDS", 0.5)
    answering = threading.Event()
    sampler = Sampler(
        training.pid, tmp_path / "parent.record", load=lambda: answering.wait(60) and None
    )
    try:
        sample(sampler, 15)
    finally:
        answering.set()
    assert len(read_flight_records([tmp_path / "parent.record"]).get("host_bytes")) >= 15
    assert sampler.take_missing() == ["NVML has not answered for 0.5 s"]
    assert sampler.take_missing() == []


def test_a_process_that_is_gone_gives_no_samples(tmp_path, training):
    training.kill()
    training.wait()
    sampler = Sampler(training.pid, tmp_path / "parent.record", load=lambda: None)
    sampler.start()
    sampler.stop(60)
    assert sampler.taken == 0
    assert sampler.take_missing() == []


def test_a_clock_that_is_put_back_does_not_take_the_samples_back(monkeypatch):
    wall = [1000.0]
    monkeypatch.setattr(forward_clock, "now", lambda: wall[0])
    clock = ForwardClock()
    before = clock.read()
    wall[0] -= 3600
    assert 0 <= clock.read() - before < 60
    wall[0] += 7200
    assert clock.read() - before > 3500
