"""The search for the largest batch."""

import pytest
from memory.linear_estimator import Linear

from fitguard.memory.largest_batch import LARGEST_BATCH, MOST_QUESTIONS, largest

MIB = 2**20


@pytest.mark.parametrize("near", [1, 32, 5000])
@pytest.mark.parametrize("true", [1, 2, 7, 64, 1000, 123_457])
def test_the_largest_batch_is_found_exactly(near, true):
    estimator = Linear(100 * MIB, MIB)
    usable = int(1.1 * (100 + true) * MIB) + 1
    assert largest(estimator, usable, near=near) == true
    assert len(estimator.asked) <= 14


@pytest.mark.parametrize("usable_mib", [150, 400, 3_000, 20_000])
def test_bumps_do_not_lead_it_to_what_does_not_fit(usable_mib):
    estimator = Linear(100 * MIB, MIB, jump=20 * MIB)
    found = largest(estimator, usable_mib * MIB, near=64)
    assert estimator.at(found).required.high <= usable_mib * MIB
    true = next(b for b in range(usable_mib, 0, -1)
                if estimator.at(b).required.high <= usable_mib * MIB)  # fmt: skip
    assert found >= 0.9 * true


def test_none_where_not_one_sample_fits():
    estimator = Linear(100 * MIB, MIB)
    assert largest(estimator, 50 * MIB, near=64) is None
    assert len(estimator.asked) <= 8


def test_a_step_that_does_not_grow_ends():
    estimator = Linear(100 * MIB, 0)
    assert largest(estimator, 200 * MIB) == LARGEST_BATCH
    assert len(estimator.asked) <= MOST_QUESTIONS


def test_the_bounds_hold():
    estimator = Linear(0, MIB)
    assert largest(estimator, 1000 * MIB, near=64, at_most=63) == 63
    assert max(estimator.asked) == 63
    plain = largest(estimator, 110 * MIB, near=64)
    assert largest(estimator, 220 * MIB, near=64, extra_bytes=110 * MIB) == plain == 100


def test_few_questions_for_a_batch_of_any_size():
    for true in range(1, 3000, 37):
        estimator = Linear(700 * MIB, 3 * MIB, jump=5 * MIB)
        largest(estimator, int(1.1 * (700 + 3 * true) * MIB) + 1, near=64)
        assert len(estimator.asked) <= MOST_QUESTIONS
