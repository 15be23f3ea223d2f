"""The policy: a row for each cause, each thought through, none that says what cannot be."""

from typing import get_args

import msgspec
import pytest

from fitguard.knowledge import knowledge
from fitguard.knowledge.policy import Policy, PolicyRow
from fitguard.schema.diagnosis import CauseSlug
from fitguard.schema.run import Outcome

policy = knowledge().policy
AT_ONCE = [
    "driver-too-old",
    "driver-broken",
    "cuda-missing",
    "cudnn-missing",
    "cudnn-mismatch",
    "cuda-path-conflict",
    "tf-cpu-only",
    "gpu-arch-unsupported",
    "cpu-isa",
    "package-conflict",
    "container-gpu-access",
    "windows-gpu-unsupported",
    "data-shape-dtype",
    "data-label-range",
    "numeric-nan",
]


def rows_with(**changes) -> list[PolicyRow]:
    """The table, with another row for `hang`."""
    row = {"cause": "hang", "stop": "It hung.", "source": "a test"} | changes
    others = [row for row in policy.table.rows if row.cause != "hang"]
    return [*others, msgspec.convert(row, PolicyRow)]


@pytest.mark.parametrize("cause", get_args(CauseSlug))
@pytest.mark.parametrize("outcome", get_args(Outcome))
def test_every_end_has_a_row_that_can_stop(cause, outcome):
    row = policy.row(cause, outcome)
    assert row.stop.endswith(".")
    assert not row.like


def test_what_no_restart_mends_stops_at_once():
    stopping = [row.cause for row in policy.table.rows if row.stop and not row.tries]
    assert sorted(stopping) == sorted([*AT_ONCE, "unknown"])
    assert policy.row("unknown", "exited").tries == ()


def test_what_changes_results_is_only_what_the_user_can_allow():
    changing = {
        remedy.action for row in policy.table.rows for remedy in row.tries if remedy.changes_results
    }
    assert changing == {"jit-off", "mixed-precision"}


@pytest.mark.parametrize(
    ("cause", "outcome", "like"),
    [
        ("none", "killed", ("unknown", "killed")),
        ("none", "hung", ("hang", "")),
        ("", "crashed", ("unknown", "crashed")),
        ("no-such-cause", "lost", ("unknown", "lost")),
        ("host-oom", "out-of-memory", ("gpu-oom", "")),
        ("host-oom", "killed", ("host-oom", "")),
    ],
)
def test_rows_by_outcome(cause, outcome, like):
    row = policy.row(cause, outcome)
    assert (row.cause, row.outcome) == like


def test_unknown_action_is_refused():
    with pytest.raises(msgspec.ValidationError, match="reboot"):
        rows_with(tries=[{"action": "reboot"}])


def test_misspelt_field_is_refused():
    with pytest.raises(msgspec.ValidationError, match="wait_second"):
        rows_with(tries=[{"action": "restart", "wait_second": 1}])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stop": ""}, "both or none"),
        ({"like": "unknown"}, "both or none"),
        ({"stop": "", "like": "unknown", "tries": [{"action": "restart"}]}, "like` and tries"),
        ({"tries": [{"action": "stop"}]}, "the sentence `stop`"),
        ({"tries": [{"action": "restart", "times": 0}]}, "1 or more"),
    ],
)
def test_rows_that_cannot_be(changes, message):
    with pytest.raises(ValueError, match=message):
        Policy(rows_with(**changes))


def test_missing_cause_is_named():
    with pytest.raises(ValueError, match="no row for hang"):
        Policy([row for row in policy.table.rows if row.cause != "hang"])


def test_a_row_twice_is_refused():
    with pytest.raises(ValueError, match="two rows"):
        Policy([*policy.table.rows, policy.table.rows[0]])


def test_rows_in_a_circle_are_refused():
    circle = Policy(rows_with(stop="", like="none"))
    with pytest.raises(ValueError, match="like each other"):
        Policy(
            [
                msgspec.structs.replace(row, like="hang") if row.cause == "none" else row
                for row in rows_with(stop="", like="none")
            ]
        ).row("hang", "")
    assert circle.row("hang", "killed").cause == "unknown"
