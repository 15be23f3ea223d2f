"""What comes after the ends of the workers of a training."""

import pytest

from fitguard.fleet.concluding import conclude, count_pause
from fitguard.fleet.records import RunRecord
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training, Worker
from fitguard.schema.fleet import FleetJob
from fitguard.schema.run import Place

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


@pytest.mark.parametrize(("gets_further", "action"), [(True, "again"), (False, "give-up")])
def test_who_is_lost_again_and_again_goes_on_as_long_as_it_gets_further(gets_further, action):
    one = Training(JOB, memory_bytes=1)
    for start in range(12):
        one.begin([Worker(None, None, ("node", 0), "its actor was lost")])
        place = start if gets_further else 0
        one.note_beginning(Place(fit=1, step=place, total_steps=place))
        following = conclude(one)
        one.stop()
    assert following.action == action


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


def test_of_a_gang_only_the_card_that_failed_is_probed():
    failed = ended(1, outcome="crashed", cause="hardware-fault")
    following = ended(1, outcome="followed", cause="hardware-fault")
    concluded = conclude(train(following, failed, ended(75)))
    assert concluded.probe == (("node", 1),)
    assert concluded.avoid == {("node", 1)}
    assert conclude(train(following, "its node is gone")).avoid == {("node", 0), ("node", 1)}


@pytest.mark.parametrize("cause", ["hang", "multi-gpu-comm"])
def test_where_all_stand_it_may_be_any_card_of_the_gang(cause):
    one = train(ended(1, outcome="crashed", cause=cause), ended(75))
    assert conclude(one).probe == (("node", 0), ("node", 1))


def test_of_a_gang_only_the_node_that_was_lost_is_avoided():
    one = Training(JOB, memory_bytes=1)
    for _ in range(2):
        workers = zip([("n1", 0), ("n2", 0)], [ended(75), "its actor was lost"], strict=True)
        one.begin([Worker(None, None, card, end) for card, end in workers])
        following = conclude(one)
    assert following.avoid_nodes == {"n2"}
