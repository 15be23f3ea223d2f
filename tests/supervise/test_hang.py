"""When no sign of life is too little, by a clock of our own."""

import pytest

from fitguard.monitor.beats import Beat
from fitguard.schema.run import Place
from fitguard.supervise.hang import HangWatch


class Clock:
    """Looks once a second at a training that beats as it is told."""

    def __init__(self, hang_seconds=None, first_step_seconds=1800.0):
        self.now = 1000.0
        self.watch = HangWatch(hang_seconds, first_step_seconds, now=self.now)
        self.count = self.step = self.steps_here = 0
        self.phase = "training"
        self.fit = 1

    def steps(self, count, seconds=1.0):
        for _ in range(count):
            self.step += 1
            self.count += 1
            assert self.quiet(seconds) is None

    def quiet(self, seconds, **excuse):
        """The first complaint within that time."""
        until = self.now + seconds
        while self.now < until:
            self.now += min(1.0, until - self.now)
            place = Place(fit=self.fit, step=self.step, total_steps=self.step)
            beat = Beat(self.count, 1, self.phase, place, 0, steps_here=self.steps_here)
            found = self.watch.look(beat, self.now, **excuse)
            if found is not None:
                return found
        return None


def test_five_minutes_without_a_step_are_a_hang():
    clock = Clock()
    clock.steps(10)
    assert clock.quiet(299) is None
    assert clock.quiet(5) > 300


def test_slow_steps_are_given_twenty_times_as_long():
    clock = Clock()
    clock.steps(10, seconds=60)
    assert clock.quiet(1100) is None
    assert clock.quiet(200) > 1200


def test_the_users_own_limit_counts():
    clock = Clock(hang_seconds=10)
    clock.steps(5)
    assert clock.quiet(20) > 10


def test_the_first_step_may_be_compiled_for_half_an_hour():
    clock = Clock()
    clock.count = 1
    assert clock.quiet(1790) is None
    assert clock.quiet(30) > 1800


def test_the_first_step_of_a_resumed_fit_too():
    clock = Clock(hang_seconds=5)
    clock.step, clock.count = 5000, 1
    assert clock.quiet(1790) is None


def test_other_signs_of_life_before_it_are_no_steps():
    """A worker that restores much beats several times between two looks."""
    clock = Clock(hang_seconds=5)
    clock.step, clock.count = 5000, 4
    assert clock.quiet(1790) is None


def test_steps_between_two_looks_count():
    clock = Clock(hang_seconds=5)
    clock.step, clock.count, clock.steps_here = 50, 51, 50
    assert clock.quiet(10) > 5


def test_evaluation_has_as_long_as_a_first_step():
    clock = Clock()
    clock.steps(10)
    clock.phase = "evaluating"
    clock.count += 1
    assert clock.quiet(1790) is None
    assert clock.quiet(30) > 1800


@pytest.mark.parametrize("phase", ["starting", "idle"])
def test_the_scripts_own_work_may_take_for_ever(phase):
    clock = Clock()
    clock.phase = phase
    assert clock.quiet(100_000) is None


def test_a_long_pause_that_ended_is_no_hang_the_next_time():
    clock = Clock()
    clock.steps(10)
    assert clock.quiet(290) is None
    clock.steps(1)
    assert clock.quiet(800) is None
    assert clock.quiet(200) > 870


def test_what_is_stopped_does_not_hang():
    clock = Clock(hang_seconds=10)
    clock.steps(5)
    assert clock.quiet(100, excused=True) is None
    assert clock.quiet(9) is None


def test_a_pause_of_our_own_does_not_count():
    clock = Clock(hang_seconds=10)
    clock.steps(5)
    clock.now += 3600  # both were stopped with Ctrl-Z
    assert clock.quiet(9) is None
    assert clock.quiet(5) > 10
