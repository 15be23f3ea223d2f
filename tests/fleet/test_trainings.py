"""What others see of a training: why it waits, leaves, or has a card of its own."""

import pytest

from fitguard.fleet.records import RunRecord
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training, Worker
from fitguard.schema.fleet import FleetJob

JOB = FleetJob(name="a", command=("train.py",), folder="/project")


def explain(waits_for="", **fields):
    """Why it is as it is; with a worker, it runs."""
    is_running = fields.pop("is_running", False)
    asked = fields.pop("asked", "")
    one = Training(JOB, **fields)
    if is_running:
        one.begin([Worker(None, None, ("node", 0))])
    one.asked = asked
    return one.describe(lambda card: f"host/{card[1]}", waits_for).why


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"memory_bytes": 1, "is_running": True}, ""),
        ({"takes_whole": True, "is_running": True}, "it has a whole card"),
        ({"takes_whole": True, "is_unknown": True, "is_running": True}, "until it was measured"),
        ({"memory_bytes": 1, "asked": "leaves for b", "is_running": True}, "leaves for b"),
        ({}, "its memory is planned"),
        ({"memory_bytes": 1}, "starts again soon"),
        ({"memory_bytes": 1, "waits_for": "needs 1 GiB", "asked": "leaves for b"},
         "needs 1 GiB; before: leaves for b"),
        ({"state": "refused", "why": "there is no card"}, "there is no card"),
    ],
)  # fmt: skip
def test_why(fields, said):
    assert explain(**fields).endswith(said)


def test_a_start_that_was_refused_leaves_no_run_to_look_at():
    one = Training(JOB, memory_bytes=1)
    refused = Ended(exit_code=2, record=RunRecord(run="a"))
    one.begin([Worker(None, None, ("node", 0), refused)])
    assert one.describe(str, "").run == "a"
    one.stop()
    assert one.describe(str, "").run == ""
    one.begin([Worker(None, None, ("node", 0), "its node is gone")])
    one.stop()
    assert one.describe(str, "").run == "a"
