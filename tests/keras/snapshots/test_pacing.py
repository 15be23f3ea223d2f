"""Snapshots cost less than 2 % of the time, whatever one costs."""

import itertools
import random

import pytest

from fitguard.keras.snapshots.pacing import FIRST_AFTER_SECONDS, LEAST_APART_SECONDS, Pacing


def simulated(
    pacing: Pacing,
    cost: float,
    seconds: float,
    *,
    step: float = 0.05,
    spread: float = 0.0,
    late: float = 0.0,
) -> tuple[list[float], float]:
    """Train for a while; when snapshots were taken, and the largest share that they ever cost.

    Args:
        cost: Of one: half for taking, half of CPU time for writing.
        spread: How much it varies.
        late: Seconds from a snapshot to the word that it is written.
    """
    chance = random.Random(1)
    now, spent, worst, times = 0.0, 0.0, 0.0, []
    unwritten: list[tuple[float, float]] = []
    while now < seconds:
        now += step
        while unwritten and unwritten[0][0] <= now:
            pacing.note_written(unwritten.pop(0)[1])
        if pacing.check_due(now):
            half = cost / 2 * chance.uniform(1 - spread, 1 + spread)
            times.append(now)
            now += half
            spent += 2 * half
            pacing.note_taken(now, half)
            unwritten.append((now + late, half))
        worst = max(worst, spent / now) if now >= 60 else worst
    return times, worst


@pytest.mark.parametrize("cost", [0.0001, 0.002, 0.01, 0.05, 0.3])
@pytest.mark.parametrize("spread", [0.0, 0.5])
@pytest.mark.parametrize("late", [0.0, 1.5])
def test_the_share_never_passes_two_percent(cost: float, spread: float, late: float) -> None:
    times, worst = simulated(Pacing(), cost, 600, spread=spread, late=late)

    assert worst < 0.02
    assert len(times) > 600 * 0.01 / cost * 0.5 or len(times) > 500


def test_large_states_wait_for_their_first_one() -> None:
    pacing = Pacing()
    pacing.check_due(0.0)
    pacing.expect(3 << 30)
    times, worst = simulated(pacing, 9.0, 4000)

    assert times[0] > 500
    assert worst < 0.02
    assert len(times) >= 3


def test_the_first_comes_early_and_others_are_apart() -> None:
    times, _ = simulated(Pacing(), 0.0001, 60)

    assert times[0] == pytest.approx(FIRST_AFTER_SECONDS, abs=0.2)
    assert min(b - a for a, b in itertools.pairwise(times)) >= LEAST_APART_SECONDS


def test_no_burst_after_a_long_pause() -> None:
    pacing = Pacing()
    simulated(pacing, 0.05, 60)
    begin = 4000.0
    taken = []
    for step in range(400):
        now = begin + step * 0.05
        if pacing.check_due(now):
            taken.append(now)
            pacing.note_taken(now, 0.025)
            pacing.note_written(0.025)

    assert min(b - a for a, b in itertools.pairwise(taken)) >= 4.9


def test_so_far_apart_as_was_asked() -> None:
    times, _ = simulated(Pacing(every_seconds=7.0), 0.5, 100)

    assert len(times) == 13
    assert simulated(Pacing(every_seconds=0.0), 0.0, 1.0)[0] == pytest.approx(
        [step * 0.05 for step in range(1, 21)], abs=0.001
    )


def test_an_end_is_affordable_when_time_has_passed() -> None:
    pacing = Pacing()
    assert not pacing.is_affordable(0.0)
    pacing.check_due(0.0)
    pacing.note_taken(2.0, 0.1)
    pacing.note_written(0.1)

    assert not pacing.is_affordable(30.0)
    assert pacing.is_affordable(41.0)
    assert Pacing(every_seconds=1.0).check_due(0.0) is False


def test_the_end_of_a_call_that_is_soon_trained_again_is_not_kept() -> None:
    pacing = Pacing()
    pacing.expect(400_000_000)
    assert not pacing.is_worth(5.0)
    assert pacing.is_worth(20.0)
    often = Pacing(every_seconds=2.0)
    often.expect(400_000_000)
    assert not often.is_worth(1.9)
    assert often.is_worth(2.0)
    assert Pacing(every_seconds=0.0).is_worth(0.0)
