"""How a fleet stands, in one line."""

from fitguard.fleet.summing_up import describe


def test_how_many_of_how_many_and_how_long():
    states = {"waiting": 40, "running": 5, "finished": 12, "failed": 1, "refused": 2}
    assert describe(states, 10, 600.0) == (
        "12 of 60 finished · 5 running · 40 waiting · 1 failed · 2 refused · about 45 min left"
    )


def test_nobody_knows_how_long_before_some_have_ended():
    assert (
        describe({"waiting": 3, "running": 2}, 0, 60.0) == "0 of 5 finished · 2 running · 3 waiting"
    )
    assert "left" not in describe({"waiting": 3, "finished": 50}, 2, 60.0)
