"""A small part of what `bench/detector_rates.py` measures."""

from random import Random

import pytest
from detectors.healthy import HEALTHY
from detectors.leaking import draw_leak
from detectors.training import HOUR, simulate

from fitguard.monitor.detectors.framework.registry import detect

EARLY_SEEDS = (0, 1, 2, 3, 5, 6)
"""One leak of each kind, and one more; all between 1 % and 20 % of the card in an hour."""


@pytest.mark.parametrize("kind", HEALTHY, ids=lambda kind: kind.__name__)
def test_healthy_trainings_raise_nothing(kind):
    recording = simulate(kind(Random(11)), 1.5, seed=11)
    for minutes in (5, 10, 14, 17, 22, 30, 40, 50, 60, 75, 90):
        assert detect(recording.read(60.0 * minutes)) == [], minutes


@pytest.mark.parametrize("seed", EARLY_SEEDS)
def test_leaks_are_found_within_20_minutes(seed):
    leaking = draw_leak(seed)
    end = leaking.begin + 1200
    recording = simulate(leaking.plan, end / HOUR, seed)
    assert "FG410" in [alert.code for alert in detect(recording.read(end))], leaking.name
    if leaking.begin:
        before = detect(recording.read(leaking.begin))
        assert "FG410" not in [alert.code for alert in before]
