"""Killed inside of each `fit`, and gone on with: the bits of the training that was not killed."""

import os

import pytest
from versions.trainings import (
    KINDS,
    OFTEN,
    as_package,
    as_tensorflow_keras,
    assert_same_bits,
    guarded,
    train_plainly,
    wait_finished,
)


def train_killed(folder, environment, kinds):
    """Each kind kills its process once; the run, when it is over."""
    marks = folder / "marks"
    marks.mkdir(parents=True)
    with guarded(folder, environment, "train.py", kinds, marks, options=OFTEN) as run:
        wait_finished(run)
    return run


def assert_went_on(run, kills):
    """From where it was, after each kill."""
    attempts = run.record.attempts
    assert [attempt.outcome for attempt in attempts] == ["killed"] * kills + ["finished"]
    for attempt in attempts[1:]:
        assert attempt.first.total_steps > 0, "it began again after a kill, and did not go on"


@pytest.mark.skipif(
    "FITGUARD_KERAS" not in os.environ,
    reason="for `make matrix`: tests/guarded and tests/corpus kill trainings of the installed one",
)
def test_killed_trainings_give_the_bits_of_plain_keras(package, plain, tmp_path):
    run = train_killed(tmp_path, as_package(package), KINDS)
    assert_same_bits(plain, run.out)
    assert_went_on(run, kills=3)


def test_keras_imported_from_tensorflow(package, tmp_path):
    environment = as_tensorflow_keras(package)
    plain = train_plainly(tmp_path / "plain", environment, "train.py", "arrays")
    run = train_killed(tmp_path / "killed", environment, "arrays")
    assert_same_bits(plain, run.out)
    assert_went_on(run, kills=1)
