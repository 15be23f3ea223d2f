"""The attempts of a run over time: bars by outcome, decisions above, snapshots below."""

from collections.abc import Iterator
from typing import NamedTuple

from fitguard.report.chart import RIGHT, Mark
from fitguard.report.run_axis import TimeAxis
from fitguard.report.run_rows import action, took
from fitguard.report.run_words import GROUPS, duration, outcome, place
from fitguard.report.words import count, joined, short, size
from fitguard.schema.run import Attempt, Run

HEIGHT = 132
DECISIONS, BARS, BAR_HEIGHT, SNAPSHOTS, AXIS = 18, 32, 34, 82, 100
LEAST_WIDTH = 2.0
LETTER = 7.0
"""So wide is a letter at most; a label that has no room is left out."""
LONGEST_WORDS = 300
MOST_LARGE = 40
LEGEND = {
    "finished": "finished",
    "running": "running",
    "memory": "out of memory",
    "failed": "crashed, killed, hung, raised or exited",
    "asked": "left as it was asked to",
    "lost": "cut off: the parent or the machine died",
}


class Bar(NamedTuple):
    """One attempt."""

    x: float
    width: float
    group: str
    label: str
    words: str


class Timeline(NamedTuple):
    """All that the template puts into the SVG element.

    Args:
        crowded: So many marks that they must be small.
        legend: The colours that occur, each with what it means.
    """

    description: str
    bars: tuple[Bar, ...]
    decisions: tuple[Mark, ...]
    snapshots: tuple[Mark, ...]
    crowded: bool
    cuts: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    legend: tuple[tuple[str, str], ...]


def timeline(run: Run) -> Timeline | None:
    """The picture; None where nothing was ever started."""
    if not run.attempts:
        return None
    axis = TimeAxis(run)
    bars = tuple(_bar(attempt, run, axis) for attempt in run.attempts)
    groups = {bar.group for bar in bars}
    decisions = tuple(_together(_decisions(run, axis)))
    return Timeline(
        description=_description(run),
        bars=bars,
        decisions=decisions,
        crowded=max(len(decisions), len(bars)) > MOST_LARGE,
        snapshots=tuple(_together(_snapshots(run, axis))),
        cuts=tuple(axis.cuts()),
        ticks=tuple(axis.ticks()),
        legend=tuple((group, words) for group, words in LEGEND.items() if group in groups),
    )


def _bar(attempt: Attempt, run: Run, axis: TimeAxis) -> Bar:
    seconds = took(attempt, run)
    x = axis.x(attempt.started)
    width = max(axis.x(attempt.started + seconds) - x, LEAST_WIDTH)
    x = min(x, RIGHT - width)
    steps = count(attempt.steps_done, "step")
    lost = f"{attempt.steps_lost:,} lost" if attempt.steps_lost else None
    words = joined([outcome(attempt), attempt.cause, duration(seconds), steps, lost])
    return Bar(
        round(x, 1),
        round(width, 1),
        GROUPS[attempt.outcome],
        _label(attempt, width),
        f"Attempt {attempt.number}: {words}",
    )


def _label(attempt: Attempt, width: float) -> str:
    """The number and how it ended, or the number, or nothing: as there is room."""
    for words in (f"{attempt.number} {outcome(attempt)}", f"{attempt.number}"):
        if len(words) * LETTER + 4 <= width:
            return words
    return ""


def _decisions(run: Run, axis: TimeAxis) -> Iterator[Mark]:
    for decision in run.decisions:
        words = f"{action(decision.action)}: {short(decision.text, LONGEST_WORDS)}"
        yield Mark(axis.x(decision.time), DECISIONS, words)


def _snapshots(run: Run, axis: TimeAxis) -> Iterator[Mark]:
    several = len(run.fits) > 1
    for mark in run.saved:
        at = place(mark.place, several_fits=several)
        yield Mark(axis.x(mark.time), SNAPSHOTS, f"Snapshot: {at} · {size(mark.bytes)}")


def _together(marks: Iterator[Mark]) -> Iterator[Mark]:
    """One mark for those that would lie on one another, with the words of the last."""
    last: Mark | None = None
    for mark in sorted(marks, key=lambda one: one.x):
        if last is not None and int(mark.x / 2) != int(last.x / 2):
            yield last
        last = mark
    if last is not None:
        yield last


def _description(run: Run) -> str:
    made = count(len(run.attempts), "attempt")
    decided = count(len(run.decisions), "decision")
    saved = count(run.snapshots.count, "snapshot")
    return f"{made}, {decided} and {saved} in {duration(run.seconds)}."
