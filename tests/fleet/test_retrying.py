"""What comes next when a training has ended."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fitguard.fleet.retrying import TrainingEnd, decide_next
from fitguard.schema.diagnosis import CauseSlug
from fitguard.schema.run import Outcome, Place

FIRST = (("n1", 0),)


def end(code=1, outcome="crashed", cause="unknown", *, card=0, node="n1", steps=0, **more):
    kept = Place(fit=1, total_steps=steps)
    cards = ((node, card),)
    return TrainingEnd(exit_code=code, outcome=outcome, cause=cause, cards=cards, kept=kept, **more)


def test_finished():
    assert decide_next([end(0, "finished", "")]).action == "done"


@pytest.mark.parametrize(
    "cause",
    ["data-shape-dtype", "data-label-range", "numeric-nan", "cuda-missing", "cudnn-missing",
     "cudnn-mismatch", "cuda-path-conflict", "tf-cpu-only", "package-conflict", "framework-bug"],
)  # fmt: skip
def test_what_fails_everywhere_is_not_started_again(cause):
    following = decide_next([end(cause=cause, outcome="exception")])
    assert following.action == "give-up"
    assert following.why.endswith(".")


@pytest.mark.parametrize(
    "cause", ["hardware-fault", "illegal-memory-access", "multi-gpu-comm", "hang"]
)
def test_what_may_be_the_card_goes_elsewhere_and_the_card_is_probed(cause):
    following = decide_next([end(cause=cause)])
    assert (following.action, following.probe) == ("elsewhere", FIRST)
    assert following.avoid == frozenset(FIRST)


@pytest.mark.parametrize(("cause", "probe"), [("driver-broken", FIRST), ("host-oom", ())])
def test_what_may_be_the_node_goes_to_another_one(cause, probe):
    following = decide_next([end(cause=cause)])
    assert (following.action, following.probe) == ("elsewhere", probe)
    assert following.avoid_nodes == {"n1"}


def test_memory_that_others_hold_is_no_fault_of_the_card():
    following = decide_next([end(cause="gpu-memory-taken", outcome="out-of-memory")])
    assert (following.action, following.probe) == ("elsewhere", ())


def test_more_memory_once():
    first = end(cause="gpu-oom", outcome="out-of-memory")
    following = decide_next([first])
    assert (following.action, following.whole_card) == ("again", True)
    second = end(cause="gpu-oom", outcome="out-of-memory", whole_card=True)
    assert decide_next([first, second]).action == "give-up"


def test_the_script_ended_itself():
    assert decide_next([end(3, "exited", "")]).action == "give-up"
    assert decide_next([end(1, "exception", "unknown")]).action == "give-up"


@pytest.mark.parametrize("code", [2, 4, 5])
def test_refused_by_run(code):
    following = decide_next([end(code, "", "")])
    assert (following.action, "refused" in following.why) == ("give-up", True)


def test_somebody_interrupted_it():
    assert decide_next([end(130, "interrupted", "")]).action == "give-up"


def test_left_as_asked_goes_on_and_costs_nothing():
    left = [end(75, "preempted", "", asked=True)] * 50
    assert decide_next(left).action == "again"
    assert decide_next([end(75, "preempted", "")] * 50).action == "again"


def test_a_run_in_other_hands_is_waited_for():
    following = decide_next([end(75, "running", "")])
    assert following.action == "wait"
    assert following.wait_seconds > 0


@pytest.mark.parametrize("code", [None, -9, 137])
def test_a_lost_node_costs_nothing(code):
    lost = end(code, "running", "")
    following = decide_next([lost])
    assert (following.action, following.avoid) == ("again", frozenset())
    failed = [end(cause="hang", card=1), end(cause="hang", card=2)]
    assert decide_next([*failed, *[lost] * 5]).action == "again"
    assert decide_next([*failed, *[lost] * 5]).avoid == {("n1", 1), ("n1", 2)}


def test_a_node_that_loses_it_twice_is_avoided_and_it_has_time_to_recover():
    lost = [end(None, "", "", node=name) for name in ("n1", "n2", "n1", "n2", "n2", "n2", "n2")]
    assert decide_next(lost[:2]).avoid_nodes == frozenset()
    assert decide_next(lost[:3]).avoid_nodes == {"n1"}
    assert decide_next(lost).avoid_nodes == {"n1", "n2"}
    pauses = [decide_next(lost[:number]).wait_seconds for number in range(1, 8)]
    assert pauses == [0, 4, 8, 16, 32, 60, 60]
    left = end(75, "preempted", "", asked=True, node="n3")
    assert decide_next([*lost, left]).wait_seconds == 0
    assert decide_next([*lost, left]).avoid_nodes == {"n1", "n2"}
    further = end(None, "", "", steps=1)
    assert decide_next([*lost, further]).avoid_nodes == frozenset()
    assert decide_next([*lost, further]).wait_seconds == 0


def test_three_failures_without_a_step_are_enough():
    ends = [end(cause="hang", card=card) for card in range(3)]
    assert decide_next(ends[:2]).action == "elsewhere"
    assert decide_next(ends[:2]).avoid == {("n1", 0), ("n1", 1)}
    assert decide_next(ends).action == "give-up"
    assert "It failed so 3 times on 3 cards and kept" in decide_next(ends).why
    assert "3 times on 1 card and kept" in decide_next([end(cause="hang")] * 3).why


def test_every_new_step_gives_all_chances_again():
    ends = [end(cause="hang", card=card, steps=10 * card) for card in range(30)]
    assert decide_next(ends).action == "elsewhere"
    assert decide_next(ends).avoid == {("n1", 29)}


def test_other_causes_in_turn_end_too():
    causes = ["hang", "hardware-fault", "watchdog-timeout", "gpu-memory-taken", "unknown"]
    ends = [end(cause=cause, card=n) for n, cause in enumerate(causes * 2)]
    assert decide_next(ends[:9]).action == "elsewhere"
    assert decide_next(ends).action == "give-up"


def test_a_training_that_takes_its_nodes_down_is_given_up():
    assert decide_next([end(None, "", "")] * 9).action == "again"
    assert decide_next([end(None, "", "")] * 10).action == "give-up"


ends = some.builds(
    end,
    some.sampled_from([None, -9, 0, 1, 2, 3, 4, 5, 75, 86, 130, 137, 139]),
    some.sampled_from(["", *get_args(Outcome)]),
    some.sampled_from(["", "no such cause", *get_args(CauseSlug)]),
    card=some.integers(0, 3),
    steps=some.integers(0, 2),
    asked=some.booleans(),
    whole_card=some.booleans(),
)


@given(some.lists(ends, min_size=1, max_size=12))
def test_whatever_happened_there_is_an_answer(past):
    following = decide_next(past)
    assert (following.action == "done") == (past[-1].exit_code == 0)
    assert following.why or following.action in ("done", "again")


@given(some.lists(ends.filter(lambda one: not one.asked), min_size=1))
def test_no_endless_loop_without_a_step(past):
    """Whatever ends it, a training that keeps nothing is given up, or was sent away each time."""
    stuck = [end(one.exit_code, one.outcome, one.cause) for one in past] * 10
    following = decide_next(stuck)
    last = stuck[-1]
    if last.exit_code not in (0, 75) and last.outcome != "preempted":
        assert following.action == "give-up" or all(
            one.outcome == "preempted" for one in stuck[:-1]
        )
