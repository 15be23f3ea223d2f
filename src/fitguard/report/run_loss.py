"""The loss over the steps of a run: all attempts on one line, what was lost beside it."""

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from fitguard.report.chart import (
    LEFT,
    RIGHT,
    Chart,
    Line,
    Mark,
    Upright,
    apart,
    below,
    columns,
    path,
    round_step,
)
from fitguard.report.loss_scale import LossScale
from fitguard.report.run_words import GROUPS, outcome, value
from fitguard.report.words import count, joined, short
from fitguard.schema.run import LossPoint, Run

LONGEST_NAME = 40
MOST_DOTS = 60
LABEL_WIDTH = 22
MOST_TALL = 30
"""More upright lines than these would hide the loss."""


class Logged(NamedTuple):
    """One logged point, with its step counted over all `fit` calls."""

    step: int
    point: LossPoint
    lost: bool


def loss_chart(run: Run) -> Chart | None:
    """The picture; None where fewer than two points were logged."""
    offsets = _offsets(run)
    logged = _logged(run, offsets)
    names = _names(run.losses)
    values = [v for one in logged for name in names if math.isfinite(v := _of(one, name))]
    if len(logged) < 2 or not values:
        return None
    last_step = max(max(one.step for one in logged), 1)
    scale = LossScale(min(values), max(values))
    drawn = _Drawing(logged, last_step, scale)
    return Chart(
        title="Loss",
        description=_description(run, logged, names[0]),
        across="steps of the optimizer" + (", all calls of fit" if len(offsets) > 1 else ""),
        lines=tuple(drawn.lines(names)),
        left_ticks=tuple(scale.ticks()),
        below_ticks=tuple(drawn.ticks()),
        uprights=tuple(_uprights(run, offsets, drawn)),
        columns=tuple(columns(list(drawn.told(names)))),
        note="The scale is logarithmic." if scale.logarithmic else "",
    )


class _Drawing:
    """From steps and values to places."""

    def __init__(self, logged: Sequence[Logged], last_step: int, scale: LossScale) -> None:
        self._kept = _once([one for one in logged if not one.lost])
        self._lost = [one for one in logged if one.lost]
        self._last_step = last_step
        self._scale = scale

    def x(self, step: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * step / self._last_step, 1)

    def lines(self, names: Sequence[str]) -> Iterator[Line]:
        """What is kept, and over it what was lost: where both are equal, the restart was exact."""
        for place, name in enumerate(names):
            parts = [list(part) for _, part in groupby(self._kept, key=_fit)]
            pieces_of = [piece for part in parts for piece in self._pieces(part, name)]
            dots = tuple(at for piece in pieces_of for at in piece)
            newest = next(_of(one, name) for one in reversed(self._kept) if name in _logs(one))
            yield Line(
                short(name, LONGEST_NAME),
                str(place),
                path(pieces_of),
                value(newest),
                dots if place and len(dots) <= MOST_DOTS else (),
            )
        lost = [list(part) for _, part in groupby(self._lost, key=_attempt)]
        if drawn := path(piece for part in lost for piece in self._pieces(part, names[0])):
            yield Line("lost with a crash, and done again", "again", drawn)

    def _pieces(self, logged: Sequence[Logged], name: str) -> Iterator[list[tuple[float, float]]]:
        """The line, interrupted where the value is no number."""
        there = [one for one in logged if name in _logs(one)]
        for finite, part in groupby(there, key=lambda one: math.isfinite(_of(one, name))):
            if finite:
                yield [(self.x(one.step), self._scale.y(_of(one, name))) for one in part]

    def ticks(self) -> Iterator[Mark]:
        """Round numbers of steps."""
        step = max(int(round_step(self._last_step, 8)), 1)
        for number in range(self._last_step // step + 1):
            yield below(self.x(number * step), f"{number * step:,}")

    def told(self, names: Sequence[str]) -> Iterator[tuple[float, str]]:
        for one in self._kept:
            values = [f"{short(n, LONGEST_NAME)} {value(_of(one, n))}" for n in names
                      if n in _logs(one)]  # fmt: skip
            words = joined([f"step {one.step:,}", *values, f"attempt {one.point.attempt}"])
            yield self.x(one.step), words


def _offsets(run: Run) -> dict[int, int]:
    """How many steps all `fit` calls before this one took."""
    reached: dict[int, int] = {}
    places = [point.place for point in run.losses]
    for place in (*places, *(attempt.last for attempt in run.attempts)):
        if place.fit:
            reached[place.fit] = max(reached.get(place.fit, 0), place.total_steps)
    offsets, before = {}, 0
    for fit in sorted(reached):
        offsets[fit] = before
        before += reached[fit]
    return offsets


def _logged(run: Run, offsets: dict[int, int]) -> list[Logged]:
    """All points in the order of time; those that a later attempt did again are lost."""
    resumed_at: dict[int, float] = {}
    earliest = math.inf
    for attempt in reversed(run.attempts):
        resumed_at[attempt.number] = earliest
        if attempt.first.fit in offsets:
            earliest = min(earliest, offsets[attempt.first.fit] + attempt.first.total_steps)
    logged = []
    for point in run.losses:
        step = offsets.get(point.place.fit, 0) + point.place.total_steps
        logged.append(Logged(step, point, step > resumed_at.get(point.attempt, math.inf)))
    return logged


def _once(kept: Sequence[Logged]) -> list[Logged]:
    """By step; where a step has two points (its batch, the end of its epoch), both stay."""
    return sorted(kept, key=lambda one: (one.step, one.point.time))


def _names(points: Sequence[LossPoint]) -> list[str]:
    """`loss` and `val_loss`; else the first that was logged."""
    there = dict.fromkeys(name for point in points for name in point.logs)
    return [name for name in ("loss", "val_loss") if name in there] or list(there)[:1]


def _uprights(run: Run, offsets: dict[int, int], drawn: _Drawing) -> Iterator[Upright]:
    """Where an attempt went on, in the colour of how the one before it ended."""
    resumed = [
        (drawn.x(offsets[after.first.fit] + after.first.total_steps), before, after)
        for before, after in zip(run.attempts, run.attempts[1:], strict=False)
        if after.first.fit in offsets
    ]
    resumed = [one for one in resumed if one[0] > LEFT]
    resumed = sorted({int(x): (x, before, after) for x, before, after in resumed}.values(),
                     key=lambda one: one[0])  # fmt: skip
    tall = len(resumed) <= MOST_TALL
    labelled = apart([x for x, _, _ in resumed], LABEL_WIDTH)
    for (x, before, after), shown in zip(resumed, labelled, strict=True):
        words = f"Attempt {after.number} went on here; attempt {before.number}: {outcome(before)}"
        label = f"{after.number}" if shown and tall else ""
        yield Upright(x, GROUPS[before.outcome], words, label, tall)


def _description(run: Run, logged: Sequence[Logged], name: str) -> str:
    told = [_of(one, name) for one in logged if name in _logs(one)]
    several = len(run.attempts) > 1
    again = "; upright lines and ticks show where an attempt went on" if several else ""
    shown = short(name, LONGEST_NAME)
    return (
        f"{shown} from {value(told[0])} to {value(told[-1])} in "
        f"{count(logged[-1].step, 'step')}{again}."
    )


def _logs(one: Logged) -> dict[str, float]:
    return one.point.logs


def _of(one: Logged, name: str) -> float:
    return one.point.logs.get(name, math.nan)


def _attempt(one: Logged) -> int:
    return one.point.attempt


def _fit(one: Logged) -> int:
    return one.point.place.fit
