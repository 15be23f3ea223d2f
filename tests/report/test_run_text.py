"""A run, and a list of runs, on a terminal."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.made_runs import (
    INEXACT,
    NO_RUNS,
    PLAIN,
    RUN_LIST,
    RUNS,
    STOPPED,
    SURVIVED,
    hostile_list,
    hostile_moment,
    hostile_run,
    made_moment,
    often_killed,
)
from report.test_text import printed
from rich.cells import cell_len

from fitguard.report.formats.text import to_text


def flat(text: str) -> str:
    """The text without its line breaks."""
    return " ".join(text.split())


def test_how_it_stands_comes_first() -> None:
    assert flat(to_text(SURVIVED)).startswith("✔ Finished after 3 attempts; 2 crashes survived;")
    assert to_text(STOPPED).startswith("✖ Stopped in the first attempt: data-shape-dtype\n")
    assert to_text(INEXACT).startswith("▲ Cut off after 2 attempts; 1,700 steps\n  `fitguard run")


def test_command_attempts_cause_and_decisions() -> None:
    text = to_text(SURVIVED)
    assert "Command    train.py --epochs 20 --data 'images 100x100'\n" in text
    assert "  2        2,461    41  killed by SIGKILL  host-oom  started again\n" in text
    assert "Attempt 2: killed by SIGKILL · host-oom\n  The kernel killed the process" in text
    assert "  │ Out of memory: Killed process 4188 (python)" in text
    assert "started again: Killed for lack of host memory at step 2,461: starts again" in flat(text)
    assert "512 (4 a step)" in text
    assert "Training paused 11 s (0.2 % of the time)" in flat(text)


def test_what_is_not_exact_and_what_changes_results() -> None:
    text = to_text(INEXACT)
    assert (
        "undisturbed run:\n  • fit 1: The generator has a state of its own: it begins anew.\n"
        in text
    )
    assert "XLA off: XLA could not compile. (changes the results)" in text
    assert "What is not exact" not in to_text(SURVIVED)


def test_alerts_stand_once_for_all_attempts_the_gravest_first() -> None:
    (alert,) = SURVIVED.alerts
    again = msgspec.structs.replace(alert, attempt=3, title="Main memory grows by 1.0 GiB an hour")
    grave = msgspec.structs.replace(alert, code="FG514", slug="loss-nan", severity="error")
    text = to_text(msgspec.structs.replace(SURVIVED, alerts=(alert, again, grave)))
    assert text.index("FG514") < text.index("FG413 Main memory grows by 1.0 GiB an hour")
    assert "812.0 MiB an hour (attempt 2, 3)" not in text
    assert text.count("FG413") == 1
    assert "(attempt 2, 3)" in flat(text) or "(attempt 2 to 3)" in flat(text)


def test_a_run_without_a_fault_is_short() -> None:
    text = to_text(PLAIN)
    assert "Decisions" not in text
    assert "Notes" not in text
    assert len(text.splitlines()) <= 25


def test_the_end_of_the_output_is_its_end() -> None:
    output = tuple(f"line {number}" for number in range(30))
    moment = msgspec.structs.replace(made_moment(PLAIN), output=output)
    text = to_text(moment)
    assert "… 22 lines before" in text
    assert "line 29" in text
    assert "line 21" not in text


def test_only_verbose_has_all_attempts() -> None:
    run = often_killed(300)
    assert "… 294 earlier attempts (--verbose lists them)\n" in to_text(run)
    assert len(to_text(run).splitlines()) < 50
    every = to_text(run, verbose=True)
    assert "earlier" not in every
    assert "  1        " in every


def test_a_list_has_a_line_for_each_run_and_the_newest_first() -> None:
    lines = to_text(RUN_LIST).splitlines()
    assert lines[0] == "● 3 runs in fitguard-runs"
    assert lines[3] == (
        "20251115-094640-a3f1  finished  host-oom      train.py --epochs 20 --data 'im…"
    )
    assert lines[-2:] == ["Could not be read", "  • fitguard-runs/old: no journal"]


def test_an_empty_folder_is_told_in_a_sentence() -> None:
    assert to_text(NO_RUNS) == ("● No runs in fitguard-runs. `fitguard run train.py` starts one.\n")


@pytest.mark.parametrize("width", [40, 80, 140])
@pytest.mark.parametrize("name", [name for name in RUNS if "often" not in name])
def test_no_line_is_wider_than_the_console(name: str, width: int) -> None:
    lines = printed(RUNS[name], width=width).splitlines()
    assert max(map(cell_len, lines)) <= width


@given(st.text(max_size=60))
@settings(max_examples=50, deadline=None)
def test_hostile_strings_do_not_break_it(text: str) -> None:
    for document in (hostile_run(text), hostile_list(text), hostile_moment(text)):
        shown = to_text(document, verbose=True)
        assert "\x1b" not in shown
        assert "\r" not in shown
