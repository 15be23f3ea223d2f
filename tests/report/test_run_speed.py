"""How fast a run is, and how long it will take."""

from typing import Any

import msgspec
import pytest
from report.made_runs import BEGAN, NEVER_STARTED, PLAIN, RUNNING, SURVIVED, made_losses

from fitguard.report.rows.run_speed import remaining, speed


def changed(run: Any, **fields: object) -> Any:
    return msgspec.structs.replace(run, **fields)


@pytest.mark.parametrize(
    ("seconds", "said"), [(400, "1 steps a second"), (8, "50 steps a second"), (1600, "4 s a step")]
)
def test_the_newest_steps_say_how_fast_it_is(seconds: float, said: str) -> None:
    points = made_losses(1, 0, 400, BEGAN, seconds)
    assert speed(changed(PLAIN, losses=tuple(points))) == said


def test_the_time_left_of_a_run_that_runs() -> None:
    points = tuple(made_losses(3, 2420, 4400, BEGAN, 1980))
    assert remaining(changed(RUNNING, losses=points)) == "about 1 h, 3,600 steps"


def test_no_time_is_left_where_nothing_runs_or_nothing_is_known() -> None:
    unknown = changed(RUNNING.fits[0], epochs=None)
    silent = (SURVIVED, RUNNING, NEVER_STARTED, changed(RUNNING, fits=(unknown,)))
    assert [remaining(run) for run in silent] == [""] * 4
    assert speed(NEVER_STARTED) == ""
