"""How long trainings are expected to train."""

import pytest

from fitguard.fleet.expecting import Expecting
from fitguard.schema.fleet import FleetJob


def job(name, run, **more):
    return FleetJob(name=name, command=tuple(run.split()), folder="/project", **more)


def test_nothing_is_known():
    assert Expecting([job("a", "train.py")]).expect("a") is None


def test_what_was_told_counts():
    expecting = Expecting([job("a", "t.py 1", takes_seconds=50.0), job("b", "t.py 2")])
    expecting.learn("b", 900.0)
    assert expecting.expect("a") == 50


def test_those_of_the_same_command_but_for_numbers_are_the_mean_of_those_that_ended():
    expecting = Expecting([job(str(n), f"train.py --lr 0.{n} --seed={n} {n}") for n in range(4)])
    assert sorted(expecting.learn("0", 100.0)) == ["0", "1", "2", "3"]
    expecting.learn("1", 300.0)
    assert expecting.expect("3") == 200


def test_other_values_count_where_no_closer_one_has_ended():
    runs = {"r1": "--model resnet --lr 1", "r2": "--model resnet --lr 2", "v": "--model=vgg --lr 1",
            "w": "--model=b0 --lr 1"}  # fmt: skip
    expecting = Expecting([job(name, f"train.py {words}") for name, words in runs.items()])
    expecting.learn("v", 1000.0)
    assert expecting.expect("w") == 1000  # the closest that there is
    expecting.learn("r1", 10.0)
    assert expecting.expect("r2") == 10
    assert expecting.expect("w") == 1000


@pytest.mark.parametrize(
    "other",
    [
        job("b", "other.py 1"),
        job("b", "-m train 1"),
        job("b", "train.py 1 --fast"),
        job("b", "train.py 1", workers=2),
        FleetJob(name="b", command=("train.py", "1"), folder="/another"),
    ],
)
def test_another_training_is_not_like_it(other):
    """What nothing is known of may be as long as the longest, and is tried early."""
    expecting = Expecting([job("a", "train.py 1"), job("c", "train.py 2"), other])
    expecting.learn("a", 500.0)
    expecting.learn("c", 100.0)
    assert expecting.expect("a") == 300
    assert expecting.expect("b") == 500


def test_it_says_whose_time_has_changed():
    expecting = Expecting([job("a1", "a.py 1"), job("a2", "a.py 2"), job("b", "b.py")])
    assert sorted(expecting.learn("a1", 100.0)) == ["a1", "a2", "b"]
    assert sorted(expecting.learn("a2", 50.0)) == ["a1", "a2"]
    assert expecting.learn("b", 10.0) == ["b"]


def test_one_that_goes_on_from_a_snapshot_has_less_left():
    expecting = Expecting([job("a", "t.py", takes_seconds=1000.0)])
    expecting.note_done("a", 0.75)
    assert expecting.expect("a") == 250
    expecting.note_done("a", 1.0)
    assert 0 < expecting.expect("a") <= 10
