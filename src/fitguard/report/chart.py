"""What drawings are made of: marks, lines, and round numbers along their edges."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from fitguard.report.words import unit_of

WIDTH, HEIGHT = 880, 292
LEFT, RIGHT, TOP, BOTTOM = 70, 870, 26, 250
MOST_TICKS = 5
MOST_COLUMNS = 240
"""So many places tell the pointer what is there: more would be too narrow to meet."""

Point = tuple[float, float]


class Mark(NamedTuple):
    """A place of the drawing with words at it."""

    x: float
    y: float
    words: str
    anchor: str = "start"


class Column(NamedTuple):
    """A part of the width: where the pointer finds it, and what it is told."""

    x: float
    width: float
    words: str


class Line(NamedTuple):
    """One line of a drawing.

    Args:
        slot: Its colour and its strokes.
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
        across: What the axis below tells.
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


def below(x: float, words: str) -> Mark:
    """A label under the drawing, at a place; the last one must not stick out."""
    return Mark(x, 0, words, "middle" if x < RIGHT - 16 else "end")


def round_step(whole: float, most: int = MOST_TICKS) -> float:
    """The least of 1, 2, 5, 10, … (and 0.5, 0.2, …) that goes into the whole at most so often."""
    if not whole > 0 or not math.isfinite(whole):
        return 1.0
    base = 10.0 ** math.floor(math.log10(whole / most))
    return next(
        step for step in (base, 2 * base, 5 * base, 10 * base, 20 * base) if whole / step <= most
    )


def byte_ticks(top_bytes: float, y: Callable[[float], float]) -> Iterator[Mark]:
    """Round numbers of one unit from the ground up, a handful of them, left of the drawing.

    Args:
        y: The height of a number of bytes.
    """
    unit, factor = unit_of(int(top_bytes))
    whole = top_bytes / factor
    step = round_step(whole)
    for number in range(int(whole / step) + 1):
        yield Mark(LEFT - 8, y(number * step * factor), f"{number * step:g} {unit}", "end")


def envelope(points: Iterable[Point]) -> list[Point]:
    """At most four points to each unit of the width: first, lowest, highest, last."""
    kept: list[Point] = []
    for _, group in groupby(points, key=lambda point: int(point[0])):
        near = list(group)
        telling = {0, len(near) - 1}
        telling |= {min(range(len(near)), key=lambda place: near[place][1])}
        telling |= {max(range(len(near)), key=lambda place: near[place][1])}
        kept += [near[place] for place in sorted(telling)]
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


def columns(told: Sequence[tuple[float, str]]) -> Iterator[Column]:
    """For the pointer: at each place its words; of places close to one another, the last."""
    narrowest = (RIGHT - LEFT) / MOST_COLUMNS
    near = {int((x - LEFT) / narrowest): (x, words) for x, words in told}
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
