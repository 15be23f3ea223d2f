"""Answers that many ask for, and that are made once."""

import time

from fitguard.watching.kept import Kept


def test_many_readers_cost_as_much_as_one():
    made = []
    kept = Kept(lambda: made.append(time.sleep(0.1)) or len(made), 0.0)
    assert {kept.get() for _ in range(5)} == {1}


def test_an_answer_that_is_old_is_made_anew():
    made = []
    kept = Kept(lambda: made.append(1) or len(made), 0.01)
    kept.get()
    time.sleep(0.02)
    assert kept.get() > 1
