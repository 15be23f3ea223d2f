"""Lines over an axis: what they are made of, and how they are drawn."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from fitguard.report.blocks import Drawing, Key, Shape
from fitguard.report.charts import shapes
from fitguard.report.charts.shapes import LEFT, RIGHT, Point
from fitguard.report.rows.run_words import GROUPS, outcome
from fitguard.schema.run import Attempt, Run

TOP, BOTTOM = 26, 226
HEIGHT = 264
MOST_TICKS = 5
MOST_COLUMNS = 240
"""So many places show their values to the pointer: more would be too narrow to meet."""

LABEL_WIDTH = 25
MOST_TALL = 30
"""More upright lines than these would hide the rest."""


class Mark(NamedTuple):
    """A place of the drawing with words at it."""

    x: float
    y: float
    words: str
    anchor: str = "start"


class Column(NamedTuple):
    """A part of the width, and what is shown where the pointer rests on it."""

    x: float
    width: float
    words: str


class Line(NamedTuple):
    """One line of a drawing.

    Args:
        slot: Its color and its strokes.
        path: As SVG writes it.
        newest: Its last value, in words.
        dots: Single values, where there are few.
    """

    label: str
    slot: str
    path: str
    newest: str = ""
    dots: tuple[Point, ...] = ()


class Upright(NamedTuple):
    """An upright line, with a short label at its head; only a tick on the ground if not tall."""

    x: float
    kind: str
    words: str
    label: str = ""
    tall: bool = True


class Chart(NamedTuple):
    """Lines over an axis.

    Args:
        across: What the axis below shows.
        limit: A value that must not be passed; None where there is none, or none in the picture.
        note: On what is not in the picture.
    """

    title: str
    description: str
    across: str
    lines: tuple[Line, ...]
    left_ticks: tuple[Mark, ...]
    below_ticks: tuple[Mark, ...]
    uprights: tuple[Upright, ...] = ()
    columns: tuple[Column, ...] = ()
    limit: Mark | None = None
    note: str = ""


def draw_chart(chart: Chart) -> Drawing:
    """The picture of a chart."""
    description = f"{chart.description} {chart.note}".strip()
    legend = tuple(Key(f"line-{line.slot}", line.label, line.newest) for line in chart.lines)
    return Drawing(chart.title, description, HEIGHT, tuple(_draw(chart)), legend)


def _draw(chart: Chart) -> Iterator[Shape]:
    for tick in chart.left_ticks:
        yield shapes.level("grid", tick.y)
    for mark in chart.uprights:
        top = TOP - 6 if mark.tall else BOTTOM - 8
        yield shapes.upright(f"upright ended-{mark.kind}", mark.x, top, BOTTOM, mark.words)
        if mark.label:
            yield shapes.words("upright-label faint", mark.x, TOP - 10, mark.label, "middle")
    for line in chart.lines:
        yield shapes.trace(f"line-{line.slot}", line.path)
        for x, y in line.dots:
            yield shapes.dot(f"dot-{line.slot}", x, y)
    for tick in chart.left_ticks:
        yield shapes.words("faint halo", LEFT, tick.y - 3, tick.words)
    yield from draw_ticks(chart.below_ticks, BOTTOM + 16)
    if chart.limit:
        yield from draw_limit(chart.limit)
    for column in chart.columns:
        yield shapes.box("column", column.x, column.width, TOP, BOTTOM - TOP, column.words)
    yield shapes.words("faint", RIGHT, HEIGHT - 5, f"{chart.across} →", "end")


def draw_ticks(ticks: Sequence[Mark], y: float) -> Iterator[Shape]:
    """Labels under a drawing; a narrow page has room for every other one."""
    for number, tick in enumerate(ticks):
        kind = "faint" if number % 2 == 0 else "faint roomy"
        yield shapes.words(kind, tick.x, y, tick.words, tick.anchor)


def draw_limit(limit: Mark) -> Iterator[Shape]:
    """A value that must not be passed."""
    yield shapes.level("limit", limit.y)
    yield shapes.words("limit-label halo", RIGHT, limit.y - 6, limit.words, "end")


def below(x: float, words: str) -> Mark:
    """A label under the drawing, at a place; the first and the last must not stick out."""
    anchor = "start" if x < LEFT + 30 else "end" if x > RIGHT - 80 else "middle"
    return Mark(x, 0, words, anchor)


def round_step(whole: float, most: int = MOST_TICKS) -> float:
    """The least of 1, 2, 5, 10, … (and 0.5, 0.2, …) that goes into the whole at most so often."""
    if not whole > 0 or not math.isfinite(whole):
        return 1.0
    base = 10.0 ** math.floor(math.log10(whole / most))
    return next(
        step for step in (base, 2 * base, 5 * base, 10 * base, 20 * base) if whole / step <= most
    )


def envelope(points: Iterable[Point]) -> list[Point]:
    """At most four points to each unit of the width: first, lowest, highest, last."""
    kept: list[Point] = []
    for _, group in groupby(points, key=lambda point: int(point[0])):
        near = list(group)
        kept_places = {0, len(near) - 1}
        kept_places |= {min(range(len(near)), key=lambda place: near[place][1])}
        kept_places |= {max(range(len(near)), key=lambda place: near[place][1])}
        kept += [near[place] for place in sorted(kept_places)]
    return kept


def path(pieces: Iterable[Sequence[Point]]) -> str:
    """Each piece as a line of its own; a piece of one point is a dot where line ends are round."""
    drawn = []
    for piece in pieces:
        thin = envelope(piece)
        if thin:
            first, *others = thin
            rest = others or [first]
            drawn.append(f"M{_at(first)}L{' '.join(map(_at, rest))}")
    return "".join(drawn)


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"


def columns(said: Sequence[tuple[float, str]]) -> Iterator[Column]:
    """For the pointer: at each place its words; of places close to one another, the last."""
    narrowest = (RIGHT - LEFT) / MOST_COLUMNS
    near = {int((x - LEFT) / narrowest): (x, words) for x, words in said}
    shown = [near[place] for place in sorted(near)]
    edges = [(before[0] + after[0]) / 2 for before, after in pairwise(shown)]
    for (_, words), start, end in zip(shown, [LEFT, *edges], [*edges, RIGHT], strict=True):
        yield Column(round(start, 1), round(max(end - start, 0.1), 1), words)


def apart(xs: Sequence[float], least: float) -> list[bool]:
    """Which of the places, from left to right, have room for a label after the last labelled."""
    free, last = [], -math.inf
    for x in xs:
        free.append(x - last >= least)
        last = x if free[-1] else last
    return free


def mark_attempts(run: Run, place: Callable[[Attempt], float | None]) -> Iterator[Upright]:
    """Where each attempt after the first started, in the color of how the one before it ended.

    Args:
        place: Where on the axis an attempt started; None where that is not known.
    """
    found = [
        (x, before, after)
        for before, after in pairwise(run.attempts)
        if (x := place(after)) is not None and x > LEFT
    ]
    by_place = {int(x): (x, before, after) for x, before, after in found}
    resumed = [by_place[x] for x in sorted(by_place)]
    tall = len(resumed) <= MOST_TALL
    labelled = apart([x for x, _, _ in resumed], LABEL_WIDTH)
    for (x, before, after), shown in zip(resumed, labelled, strict=True):
        words = f"Attempt {after.number} started here; attempt {before.number}: {outcome(before)}"
        label = f"{after.number}" if shown and tall else ""
        yield Upright(x, GROUPS[before.outcome], words, label, tall)
