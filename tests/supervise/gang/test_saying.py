"""What the user is told of the other workers."""

from fitguard.schema.gang import GangPlan, Members, Ready, SavedPlace
from fitguard.supervise.gang.saying import describe_beginning, describe_useless


def build_ready(worker, *saved):
    return Ready(worker=worker, life="a", host="h", network="n", address="a:1", saved=saved)


def test_where_a_round_begins():
    plan = GangPlan(name="night", workers=2, command=("train.py",), seed=1)
    both = Members(workers=(0, 1), start=SavedPlace(1, 40))
    assert describe_beginning(plan, 3, both) == (
        "round 3 of the gang night: all 2 workers go on from step 40 of fit 1."
    )
    alone = Members(workers=(1,), start=None)
    assert "worker 1 of 2 starts at the beginning." in describe_beginning(plan, 3, alone)


def test_snapshots_that_cannot_be_used_are_said():
    place = SavedPlace(1, 40)
    assert describe_useless([build_ready(0), build_ready(1)]) == ""
    assert describe_useless([build_ready(0, place), build_ready(1, place)]) == ""
    told = describe_useless([build_ready(0, place), build_ready(1)])
    assert told.startswith("worker 1 has no snapshots, so those of the others cannot be used")
