"""A run in sentences."""

import math

import msgspec
import pytest
from report.made_runs import (
    ATTEMPTS,
    BEGAN,
    INEXACT,
    NEVER_STARTED,
    PLAIN,
    RUN_LIST,
    RUNNING,
    STOPPED,
    SURVIVED,
    line_of,
    often_killed,
)

from fitguard.report.formats.text import to_text
from fitguard.report.rows.run_words import advice, exactly, moment, outcome, place, verdict
from fitguard.schema.run import Attempt, Place, Run
from fitguard.words import duration


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (SURVIVED, "Finished after 3 attempts; 2 crashes survived; 41 of 8,000 steps done twice "
         "(0.5 %)"),
        (PLAIN, "Finished in the first attempt; 5,600 steps"),
        (STOPPED, "Stopped in the first attempt: data-shape-dtype"),
        (INEXACT, "Cut off after 2 attempts; 1,700 steps"),
        (NEVER_STARTED, "Cut off before the first attempt"),
        (RUNNING, "Running: attempt 3; 2 crashes survived; 41 of 8,000 steps done twice (0.5 %)"),
        (often_killed(5), "Finished after 5 attempts; 4 crashes survived; 12 of 103 steps done "
         "twice (12 %)"),
    ],
)  # fmt: skip
def test_how_it_stands(run: Run, told: str) -> None:
    assert verdict(run) == told


def test_nothing_done_twice_is_told_after_a_crash() -> None:
    exact = msgspec.structs.replace(ATTEMPTS[1], steps_lost=0)
    run = msgspec.structs.replace(SURVIVED, attempts=(exact, ATTEMPTS[2]))
    assert verdict(run).endswith("; 1 crash survived; none of 8,041 steps done twice")


def test_more_done_twice_than_kept() -> None:
    lost = msgspec.structs.replace(ATTEMPTS[1], steps_done=900, steps_lost=890)
    last = msgspec.structs.replace(ATTEMPTS[2], steps_done=10)
    run = msgspec.structs.replace(SURVIVED, attempts=(lost, last))
    assert verdict(run).endswith("890 steps lost and done again, 20 kept")


def test_what_the_last_attempt_lost_was_not_done_again() -> None:
    run = msgspec.structs.replace(SURVIVED, state="stopped", attempts=ATTEMPTS[:2])
    assert "done twice" in verdict(SURVIVED)
    assert "done twice (" not in verdict(run)


@pytest.mark.parametrize("state", ["interrupted", "preempted", "lost"])
def test_how_to_go_on(state: str) -> None:
    run = msgspec.structs.replace(SURVIVED, state=state)
    assert advice(run) == f"`fitguard run --resume {run.id}` continues it."


def test_a_run_elsewhere_is_looked_for_there() -> None:
    run = msgspec.structs.replace(INEXACT, folder="/data/runs/x", id="x")
    assert advice(run) == "`fitguard run --runs /data/runs --resume x` continues it."


def test_an_end_needs_no_advice() -> None:
    assert [advice(run) for run in (SURVIVED, STOPPED, RUNNING)] == ["", "", ""]


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (ATTEMPTS[0], "out of memory"),
        (ATTEMPTS[1], "killed by SIGKILL"),
        (ATTEMPTS[2], "finished"),
        (STOPPED.attempts[0], "raised an error (exit code 1)"),
        (Attempt(number=1, started=0, outcome="exited", exit_code=3), "exited (exit code 3)"),
        (Attempt(number=1, started=0, outcome="planned", exit_code=75), "restarted as planned"),
    ],
)
def test_how_an_attempt_ended(attempt: Attempt, told: str) -> None:
    assert outcome(attempt) == told


@pytest.mark.parametrize(
    ("where", "several", "told"),
    [
        (Place(), False, "before the first fit"),
        (Place(fit=1), False, "start"),
        (Place(fit=1, epoch=2), False, "end of epoch 2"),
        (Place(fit=1, epoch=2, step=7), False, "epoch 3, step 7"),
        (Place(fit=2, epoch=0, step=7), True, "fit 2, epoch 1, step 7"),
    ],
)
def test_places(where: Place, several: bool, told: str) -> None:
    assert place(where, several_fits=several) == told


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "0 s"), (0.44, "0.4 s"), (41, "41 s"), (59.7, "1 min"), (200, "3 min 20 s"),
        (3600, "1 h"), (12_000, "3 h 20 min"), (86_400 * 2 + 3600 * 4, "2 d 4 h"),
        (-1, "?"), (math.nan, "?"), (math.inf, "?"),
    ],
)  # fmt: skip
def test_durations(seconds: float, told: str) -> None:
    assert duration(seconds) == told


@pytest.mark.parametrize(
    ("seconds", "told"), [(0, "0"), (0.2, "0.2 s"), (90, "1 min 30 s"), (172_830, "2 d 30 s")]
)
def test_exact_durations(seconds: float, told: str) -> None:
    assert exactly(seconds) == told


@pytest.mark.parametrize("broken", [math.nan, math.inf, 1e300, -1e300])
def test_a_time_that_is_none_does_no_harm(broken: float) -> None:
    assert moment(broken) == "?"
    assert moment(BEGAN).startswith("2025-11-1")


def test_an_end_without_a_cause_is_told_by_its_signal() -> None:
    killed = msgspec.structs.replace(ATTEMPTS[1], cause="unknown")
    run = msgspec.structs.replace(SURVIVED, state="stopped", attempts=(killed,))
    assert verdict(run).startswith("Stopped in the first attempt: killed by SIGKILL;")
    assert "unknown" not in to_text(run)
    line = msgspec.structs.replace(line_of(run), cause="unknown", ended="killed by SIGKILL")
    listed = to_text(msgspec.structs.replace(RUN_LIST, runs=(line,)))
    assert "killed by SIGKILL" in listed
    assert "unknown" not in listed
