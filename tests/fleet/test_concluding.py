"""What comes after the ends of the workers of a training."""

import pytest

from fitguard.fleet.concluding import conclude, count_pause
from fitguard.fleet.records import RunRecord
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training, Worker
from fitguard.schema.fleet import FleetJob

JOB = FleetJob(name="a", command=("train.py",), folder="/project", memory_bytes=1)


def ended(code, said="", **record):
    return Ended(exit_code=code, record=RunRecord(run="a", **record), said=said)


def train(*ends, asked=""):
    """A training that ended so, one end for each worker."""
    one = Training(JOB, memory_bytes=1)
    cards = [("node", index) for index in range(len(ends))]
    one.begin([Worker(None, None, card, end) for card, end in zip(cards, ends, strict=True)])
    one.asked = asked
    return one


def test_all_finished():
    assert conclude(train(ended(0), ended(0))).action == "done"


def test_a_lost_actor_is_started_again_after_a_moment():
    one = train("its actor was lost")
    following = conclude(one)
    assert following.action == "again"
    assert one.why == "its actor was lost"
    assert count_pause(following, one) > 0


def test_one_that_was_asked_to_leave_goes_on_at_once():
    one = train(ended(75, outcome="preempted"), asked="leaves for b")
    following = conclude(one)
    assert following.action == "again"
    assert count_pause(following, one) == 0


def test_wrong_data_is_given_up_with_the_words_of_its_run():
    one = train(ended(1, outcome="exited", cause="data-label-range", why="Labels are wrong."))
    assert conclude(one).action == "give-up"
    assert (one.cause, one.why) == ("data-label-range", "Labels are wrong.")


def test_one_that_never_began_says_what_was_written():
    one = train(ended(2, said="fitguard: Received nonsense.\n\n"))
    assert conclude(one).action == "give-up"
    assert "Received nonsense." in one.why


def test_what_it_has_done_is_noted():
    one = train(ended(75, outcome="preempted", share_done=0.5), asked="x")
    conclude(one)
    assert one.share_done == 0.5


@pytest.mark.parametrize("order", [1, -1])
def test_of_a_gang_the_failure_counts(order):
    ends = (ended(1, outcome="exited", cause="numeric-nan", why="It is nan."), ended(75))
    one = train(*ends[::order], asked="waits for one of its workers")
    assert one.cards == (("node", 0), ("node", 1))
    assert conclude(one).action == "give-up"
    assert one.cause == "numeric-nan"
    assert one.ends[-1].exit_code == 1
