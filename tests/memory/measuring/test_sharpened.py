"""Measured batch sizes answer as measured; others are scaled."""

from dataclasses import replace

import pytest
from memory.linear_estimator import Linear

from fitguard.memory.measuring.sharpened import Sharpened
from fitguard.schema.plan import Breakdown, Measured, Range, Unknown

MIB = 2**20
PLAIN = Linear(fixed=100 * MIB, each=MIB)


class Detailed(Linear):
    """With a breakdown that adds up, and something unknown."""

    def at(self, batch_size, *, detail=False):
        plain = super().at(batch_size, detail=detail)
        rest = plain.required.likely - 60 * MIB
        return replace(
            plain,
            breakdown=Breakdown(weights=40 * MIB, slack=20 * MIB, activations=rest),
            unknown=(Unknown(part="x", text="?"),),
        )


def measured(**sizes):
    return Measured(
        gpu="NVIDIA H200", taken="2026-01-02", **{name: size * MIB for name, size in sizes.items()}
    )


def total(parts):
    return sum(getattr(parts, name) for name in parts.__struct_fields__ if name != "context")


def test_a_measured_batch_is_as_measured():
    known = measured(runs_bytes=180, fails_bytes=176, peak_bytes=400)
    answer = Sharpened(Detailed(100 * MIB, MIB), {64: known}).at(64, detail=True)
    assert answer.required == Range(176 * MIB, 180 * MIB, 180 * MIB)
    assert answer.comfortable.likely == answer.comfortable.high == 400 * MIB
    assert answer.measured == known
    assert answer.unknown == ()
    assert answer.reasons[0] == (
        "Measured on NVIDIA H200 (2026-01-02): the step ran in 180.0 MiB, and not in 176.0 MiB."
    )


@pytest.mark.parametrize("runs", [70, 150, 164, 300])
def test_the_breakdown_adds_up_to_what_was_measured(runs):
    answer = Sharpened(Detailed(100 * MIB, MIB), {64: measured(runs_bytes=runs)}).at(64)
    assert total(answer.breakdown) == answer.required.likely == runs * MIB
    assert answer.breakdown.weights == 40 * MIB


def test_without_a_failure_the_low_end_stays():
    answer = Sharpened(PLAIN, {64: measured(runs_bytes=160)}).at(64)
    assert answer.required == Range(PLAIN.at(64).required.low, 160 * MIB, 160 * MIB)


def test_a_failure_alone_moves_the_range_up():
    answer = Sharpened(PLAIN, {64: measured(fails_bytes=170)}).at(64)
    assert answer.required == Range(170 * MIB, 170 * MIB, PLAIN.at(64).required.high)
    assert answer.measured is not None


def test_a_near_batch_is_scaled_and_its_range_is_half_as_wide():
    answer = Sharpened(PLAIN, {64: measured(runs_bytes=82)}).at(128)
    assert answer.required.likely == round(228 * MIB * 82 / 164)
    assert answer.required.low == pytest.approx(0.95 * answer.required.likely, rel=1e-3)
    assert answer.required.high == pytest.approx(1.05 * answer.required.likely, rel=1e-3)
    assert answer.measured is None
    assert answer.reasons[0].startswith("Scaled by 0.500: at batch 64 the step ran in 82.0 MiB on")


def test_a_far_batch_is_scaled_and_its_range_is_as_wide_as_before():
    answer = Sharpened(PLAIN, {64: measured(runs_bytes=82)}).at(1024)
    assert answer.required.high == pytest.approx(1.1 * answer.required.likely, rel=1e-3)


def test_the_nearest_batch_that_ran_scales():
    known = {
        16: measured(runs_bytes=232),
        256: measured(runs_bytes=178),
        100: measured(fails_bytes=200),
    }
    estimator = Sharpened(PLAIN, known)
    assert estimator.at(32).required.likely == 2 * PLAIN.at(32).required.likely
    assert estimator.at(128).required.likely == PLAIN.at(128).required.likely // 2
