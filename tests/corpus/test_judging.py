"""Verdicts on runs, from what they left."""

from pathlib import Path

import pytest
from corpus.cases import Case
from corpus.judging import difference, judge
from corpus.moments import Event
from corpus.running import Run

from fitguard.schema.journal import FitBegan, Noted
from fitguard.schema.run import Place

PLAIN = {"loss": [1, 2]}
OTHER = {"loss": [1, 3]}


def run_with(kept, *notes):
    """A run of one fit that began at second 1 and ended its first step at second 3."""
    began = FitBegan(time=1.0, place=Place(fit=1), library="keras")
    said = [Noted(time=time, kind="inexact", text=text, fit=1) for time, text in notes]
    steps = [Event(3.0, "on_train_batch_end")]
    return Run(kills=["at some time"], kept=kept, journal=[began, *said], events=steps)


@pytest.mark.parametrize(
    ("announced", "run", "verdict"),
    [
        ((), run_with(PLAIN), "identical"),
        ((), run_with(OTHER), "SILENT"),
        ((), run_with(PLAIN, (2.0, "a generator")), "FALSE ALARM"),
        ((), run_with(OTHER, (2.0, "a generator")), "UNKEPT"),
        ((), run_with(OTHER, (4.0, "a generator")), "LATE"),
        (("generator",), run_with(OTHER, (2.0, "a generator")), "announced"),
        (("generator",), run_with(OTHER, (2.0, "a socket")), "SILENT"),
        (("generator",), run_with(OTHER, (4.0, "a generator")), "LATE"),
        ((), Run(broken="exit code 1"), "BROKEN"),
    ],
)
def test_verdicts(announced, run, verdict):
    case = Case(Path("training.py"), "special", announced)
    assert judge(case, PLAIN, [run]).verdict == verdict


def test_a_difference_names_the_place():
    assert difference(PLAIN, PLAIN) == ""
    assert difference(PLAIN, OTHER) == ".loss[1]: 2 now 3"
    assert "2 entries, now 1" in difference(PLAIN, {"loss": [1]})
    assert difference({"a": 1}, {}) == ".a: 1 now —"
    assert difference({"a": 1}, {"a": True}) != ""
