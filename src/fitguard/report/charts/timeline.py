"""The attempts of a run over time: bars by outcome, decisions above, snapshots below."""

from collections.abc import Iterator
from typing import NamedTuple

from fitguard.report.blocks import Drawing, Key, Shape
from fitguard.report.charts import shapes
from fitguard.report.charts.line_chart import Mark, draw_ticks
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.report.charts.time_axis import TimeAxis
from fitguard.report.rows.run_rows import action
from fitguard.report.rows.run_words import GROUPS, describe_attempt, outcome, place, took
from fitguard.schema.run import Attempt, Run
from fitguard.words import count, duration, short, size, title

TITLE = "Attempts over time"
HEIGHT = 156
LANES = {"decisions": 26, "snapshots": 106}
BARS, BAR_HEIGHT, AXIS = 38, 34, 120
LEAST_WIDTH = 2.0
LETTER, NARROW_LETTER = 9.0, 22.0
"""So wide is a letter at most, on a wide page and on a telephone: other labels are left out."""
LONGEST_WORDS = 300
MOST_LARGE = 40
LEGEND = {
    "finished": "finished",
    "running": "running",
    "memory": "out of memory",
    "failed": "crashed, killed, hung, raised or exited",
    "asked": "left because it was asked to",
    "lost": "cut off: fitguard or the machine died",
}


class Bar(NamedTuple):
    """One attempt."""

    x: float
    width: float
    group: str
    label: str
    short_label: str
    words: str


class Timeline(NamedTuple):
    """The chart, before it is drawn.

    Args:
        crowded: So many marks that they must be small.
        legend: The colors that occur, each with what it means.
    """

    description: str
    bars: tuple[Bar, ...]
    decisions: tuple[Mark, ...]
    snapshots: tuple[Mark, ...]
    crowded: bool
    cuts: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    legend: tuple[tuple[str, str], ...]


def draw_timeline(run: Run) -> Drawing | None:
    """The picture; None where nothing was ever started."""
    chart = timeline(run)
    if chart is None:
        return None
    legend = tuple(Key(f"ended-{group}", said, line=False) for group, said in chart.legend)
    return Drawing(TITLE, chart.description, HEIGHT, tuple(_draw(chart)), legend)


def _draw(chart: Timeline) -> Iterator[Shape]:
    for name, y in LANES.items():
        yield shapes.level("lane", y)
        yield shapes.words("faint halo", LEFT, y - 9, name)
    middle = BARS + BAR_HEIGHT / 2 + 4
    for cut in chart.cuts:
        tip = f"A pause of {cut.words}, drawn shorter than it was"
        yield shapes.box("cut", cut.x - 10, 20, BARS + 7, 20, tip)
        yield shapes.words("faint", cut.x, middle, "…", "middle")
    for bar in chart.bars:
        kind = f"{'narrow' if chart.crowded else 'wide'} ended-{bar.group}"
        yield shapes.box(kind, bar.x, bar.width, BARS, BAR_HEIGHT, bar.words)
        center = bar.x + bar.width / 2
        for label, room in ((bar.label, "roomy"), (bar.short_label, "tight")):
            if label:
                yield shapes.words(f"bar-label {room}", center, middle, label, "middle", bar.words)
    for mark in chart.decisions:
        kind = "decided-at thin" if chart.crowded else "decided-at"
        yield shapes.upright(kind, mark.x, mark.y - 6, mark.y + 6, mark.words)
    for mark in chart.snapshots:
        yield shapes.upright("snapshot", mark.x, mark.y - 5, mark.y + 5, mark.words)
    yield from draw_ticks(chart.ticks, AXIS + 13)
    pauses = "; … is a long pause" if chart.cuts else ""
    yield shapes.words("faint", RIGHT, HEIGHT - 5, f"time since the start{pauses} →", "end")


def timeline(run: Run) -> Timeline | None:
    """Attempts as bars, with decisions above and snapshots below."""
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
    return Bar(
        round(x, 1),
        round(width, 1),
        GROUPS[attempt.outcome],
        _label(attempt, run, width, LETTER),
        _label(attempt, run, width, NARROW_LETTER),
        title(describe_attempt(attempt, run)),
    )


def _label(attempt: Attempt, run: Run, width: float, letter: float) -> str:
    """The number and how it ended, or the number, or nothing: as there is room."""
    for words in (f"{attempt.number} {outcome(attempt, run)}", f"{attempt.number}"):
        if (len(words) + 0.5) * letter <= width:
            return words
    return ""


def _decisions(run: Run, axis: TimeAxis) -> Iterator[Mark]:
    for decision in run.decisions:
        words = f"{action(decision.action)}: {short(decision.text, LONGEST_WORDS)}"
        yield Mark(axis.x(decision.time), LANES["decisions"], words)


def _snapshots(run: Run, axis: TimeAxis) -> Iterator[Mark]:
    several = len(run.fits) > 1
    for mark in run.saved:
        at = place(mark.place, several_fits=several)
        yield Mark(axis.x(mark.time), LANES["snapshots"], f"Snapshot: {at} · {size(mark.bytes)}")


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
