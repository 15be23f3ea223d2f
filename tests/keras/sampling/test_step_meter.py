"""What steps took, as the sampler gets it."""

import numpy as np
import pytest

from fitguard.keras.sampling import step_meter
from fitguard.keras.sampling.step_meter import StepMeter, count_elements
from fitguard.schema.run import Place


class Clock:
    """A clock that is moved by hand."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


class Counted:
    """An allocator that holds what it is told."""

    def __init__(self):
        self.current = self.peak = 0

    def read(self):
        return {"current": self.current, "peak": self.peak}

    def take_peak(self):
        peak, self.peak = self.peak, self.current
        return peak


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(step_meter, "time", clock)
    return clock


def at(steps, fit=1):
    return Place(fit=fit, total_steps=steps)


def test_steps_are_timed_without_what_lies_between_them(clock):
    meter = StepMeter()
    for step, seconds in enumerate((0.2, 0.4)):
        meter.step_ends(at(step))
        clock.now += 5  # a snapshot
        meter.step_begins(at(step))
        clock.now += seconds
    meter.step_ends(at(2))
    values = meter.take()
    assert values["step_seconds"] == pytest.approx(0.3)
    assert values["slowest_step_seconds"] == pytest.approx(0.4)
    assert meter.take() == {}


def test_several_steps_of_one_call_share_its_time(clock):
    meter = StepMeter()
    meter.step_begins(at(0))
    clock.now += 1.0
    meter.step_ends(at(10))
    assert meter.take()["slowest_step_seconds"] == pytest.approx(0.1)


def test_a_validation_is_no_step(clock):
    meter = StepMeter()
    meter.step_begins(at(5))
    meter.pause()
    clock.now += 60
    meter.step_ends(at(6))
    assert meter.take() == {}


def test_memory_is_read_between_steps():
    meter = StepMeter()
    meter.allocator = held = Counted()
    for current, peak in ((30, 90), (10, 95), (20, 80)):
        held.current, held.peak = current, max(peak, held.peak)
        meter.step_ends(at(1))
    values = meter.take()
    assert values == {"allocator_low_bytes": 10}
    meter.wants_peak = True
    meter.step_ends(at(2))
    assert meter.take()["allocator_peak_bytes"] == 95
    meter.wants_peak = True
    meter.step_ends(at(3))
    assert meter.take()["allocator_peak_bytes"] == 20


def test_the_wait_for_data_is_timed_now_and_then(clock):
    meter = StepMeter()
    assert meter.is_input_due()
    assert not meter.is_input_due()
    clock.now += step_meter.INPUT_EVERY_SECONDS
    assert meter.is_input_due()
    meter.note_input(0.5, [np.ones((2, 3))])
    meter.note_input(0.1, [np.ones((2, 8))])
    meter.note_input(0.1, [])
    assert meter.take() == {"input_seconds": pytest.approx(0.299), "batch_elements": 16}


def test_elements_of_all_parts_count():
    assert count_elements(({"a": np.ones((2, 3)), "b": np.ones(4)}, 7, None)) == 10
