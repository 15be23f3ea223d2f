"""The metrics of a run over its steps: all attempts on one line, what was lost beside it.

Keras logs the mean of an epoch so far, which starts anew with each epoch. So those values are
joined within an epoch only, and the line over the run goes from epoch to epoch. The learning rate
is no mean: it has one line.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from fitguard.report.blocks import Drawing
from fitguard.report.charts.line_chart import (
    Chart,
    Line,
    Mark,
    below,
    columns,
    draw_chart,
    mark_attempts,
    path,
    round_step,
)
from fitguard.report.charts.scale import MetricScale
from fitguard.report.charts.shapes import LEFT, RIGHT, Point
from fitguard.report.rows.run_words import epoch_number, value
from fitguard.schema.run import Attempt, LossPoint, Run
from fitguard.words import count, join, short, title

LONGEST_NAME = 40
MOST_CHARTS = 12
MOST_DOTS = 60
VALIDATION = "val_"
UNSETTLED = 0.1
"""In the first part of an epoch, its mean so far is that of a few batches, and jumps."""
LAST = ("learning_rate", "lr")


class Logged(NamedTuple):
    """One logged point, with its step counted over all `fit` calls."""

    step: int
    point: LossPoint
    lost: bool

    def has(self, name: str) -> bool:
        """Whether there is a value that can be drawn."""
        return math.isfinite(self.of(name))

    def of(self, name: str) -> float:
        """The value of a metric."""
        return self.point.logs.get(name, math.nan)

    @property
    def epoch(self) -> tuple[int, int]:
        """The `fit` call and the epoch that it belongs to."""
        return epoch_number(self.point)

    def is_settled(self, steps_per_epoch: dict[int, int]) -> bool:
        """Whether it is more than the mean of the first few batches of a later epoch."""
        place = self.point.place
        early = place.step < UNSETTLED * steps_per_epoch.get(place.fit, 0)
        return self.point.epoch_end or self.epoch[1] <= 1 or not early


def draw_metrics(run: Run) -> list[Drawing]:
    """A picture for each metric, together with that of the validation; the loss first."""
    return [draw_chart(chart) for chart in metric_charts(run)]


def metric_charts(run: Run) -> Iterator[Chart]:
    """The charts; a metric with fewer than two values has none."""
    offsets = _offsets(run)
    logged = _collect_points(run, offsets)
    for name in _names(run.losses)[:MOST_CHARTS]:
        metric = _Metric(run, offsets, logged, name)
        if metric.is_drawn:
            yield metric.chart()


class _Metric:
    """One metric: from steps and values to places."""

    def __init__(
        self, run: Run, offsets: dict[int, int], logged: Sequence[Logged], name: str
    ) -> None:
        self._run, self._offsets, self._name = run, offsets, name
        self._validation = f"{VALIDATION}{name}"
        names = {name, self._validation}
        steps = {fit.number: fit.steps_per_epoch or 0 for fit in run.fits}
        own = [
            one
            for one in logged
            if names & set(one.point.logs) and (name in LAST or one.is_settled(steps))
        ]
        self._kept = sorted(
            (one for one in own if not one.lost), key=lambda one: (one.step, one.point.time)
        )
        self._lost = [one for one in own if one.lost]
        self._ends = [one for one in self._kept if one.point.epoch_end]
        values = [one.of(n) for one in own for n in names if one.has(n)]
        self.is_drawn = len(own) > 1 and any(one.has(n) for one in self._kept for n in names)
        self._scale = MetricScale(min(values, default=0.0), max(values, default=1.0))
        self._last_step = max((one.step for one in logged), default=1) or 1

    def chart(self) -> Chart:
        several = ", all calls of fit" if len(self._offsets) > 1 else ""
        return Chart(
            title=title(short(self._name, LONGEST_NAME).replace("_", " ")),
            description=self._describe(),
            across=f"steps of the optimizer{several}",
            lines=tuple(self._lines()),
            left_ticks=tuple(self._scale.ticks()),
            below_ticks=tuple(self._ticks()),
            uprights=tuple(mark_attempts(self._run, self._start_of)),
            columns=tuple(columns(list(self._values()))),
            note="The scale is logarithmic." if self._scale.logarithmic else "",
        )

    def _lines(self) -> Iterator[Line]:
        """What is kept, and over it what was lost: where both are equal, the restart was exact."""
        name = short(self._name, LONGEST_NAME)
        newest = self._newest(self._kept, self._name)
        so_far = self._pieces(self._kept, self._name, lambda one: one.epoch)
        if self._name in LAST:
            every = self._pieces(self._kept, self._name, lambda one: one.point.place.fit)
            yield from self._line(name, "0", every, newest)
        elif sum(one.has(self._name) for one in self._ends) < 2:
            yield from self._line(name, "0", so_far, newest)
        else:
            if len(self._ends) < len(self._kept):
                yield from self._line(f"{name}, so far in the epoch", "so-far", so_far)
            yield from self._epochs(f"{name} of each epoch", "0", self._name)
        yield from self._epochs(f"{VALIDATION}{name}", "1", self._validation)
        again = self._pieces(self._lost, self._name, lambda one: (one.point.attempt, one.epoch))
        yield from self._line("lost in a crash and done again", "again", again)

    def _epochs(self, label: str, slot: str, name: str) -> Iterator[Line]:
        pieces = self._pieces(self._ends, name, lambda one: one.point.place.fit)
        dots = tuple(at for piece in pieces for at in piece)
        shown = dots if len(dots) <= MOST_DOTS else ()
        yield from self._line(label, slot, pieces, self._newest(self._ends, name), shown)

    def _line(
        self,
        label: str,
        slot: str,
        pieces: Iterable[list[Point]],
        newest: str = "",
        dots: tuple[Point, ...] = (),
    ) -> Iterator[Line]:
        if drawn := path(pieces):
            yield Line(label, slot, drawn, newest, dots)

    def _pieces(
        self, logged: Sequence[Logged], name: str, key: Callable[[Logged], object]
    ) -> list[list[Point]]:
        """One line for each key, interrupted where the value is no number."""
        there = [one for one in logged if name in one.point.logs]
        return [
            [(self._x(one.step), self._scale.y(one.of(name))) for one in part]
            for (_, finite), part in groupby(there, lambda one: (key(one), one.has(name)))
            if finite
        ]

    def _newest(self, logged: Sequence[Logged], name: str) -> str:
        return next((value(one.of(name)) for one in reversed(logged) if one.has(name)), "")

    def _x(self, step: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * step / self._last_step, 1)

    def _start_of(self, attempt: Attempt) -> float | None:
        if attempt.first.fit not in self._offsets:
            return None
        return self._x(self._offsets[attempt.first.fit] + attempt.first.total_steps)

    def _ticks(self) -> Iterator[Mark]:
        """Round numbers of steps."""
        step = max(int(round_step(self._last_step, 8)), 1)
        for number in range(self._last_step // step + 1):
            yield below(self._x(number * step), f"{number * step:,}")

    def _values(self) -> Iterator[tuple[float, str]]:
        for one in self._kept:
            values = [
                f"{short(name, LONGEST_NAME)} {value(one.of(name))}"
                for name in (self._name, self._validation)
                if name in one.point.logs
            ]
            said = join([f"step {one.step:,}", *values, f"attempt {one.point.attempt}"])
            yield self._x(one.step), said

    def _describe(self) -> str:
        name = self._name if any(one.has(self._name) for one in self._kept) else self._validation
        values = [value(one.of(name)) for one in self._kept if one.has(name)]
        marked = (
            "; upright lines show where an attempt started" if len(self._run.attempts) > 1 else ""
        )
        return (
            f"{short(name, LONGEST_NAME)} from {values[0]} to {values[-1]} in "
            f"{count(self._last_step, 'step')}{marked}."
        )


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


def _collect_points(run: Run, offsets: dict[int, int]) -> list[Logged]:
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


def _names(points: Sequence[LossPoint]) -> list[str]:
    """Every metric once, without `val_`: the loss first, the learning rate last."""
    there = dict.fromkeys(name.removeprefix(VALIDATION) for point in points for name in point.logs)
    return sorted(there, key=lambda name: (name in LAST) - (name == "loss"))
