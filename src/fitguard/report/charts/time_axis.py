"""The time of a run along a drawing: long pauses between attempts are cut short."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from fitguard.report.charts.line_chart import Mark, below
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.report.rows.run_words import exactly, took
from fitguard.schema.run import Run
from fitguard.words import duration

LONGEST_PAUSE = 0.25
"""A pause that is longer than this part of the training is cut …"""
CUT_TO = 0.04
"""… to this part of it."""
MOST_TICKS = 7
ROUND_SECONDS = (
    *(0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400),
    *(21600, 43200, 86400, 172800),
)


class Stretch(NamedTuple):
    """From a time to a time, in seconds since the run began, and the place where it is drawn."""

    start: float
    end: float
    left: float
    width: float
    cut: bool = False


class TimeAxis:
    """From moments to places.

    Args:
        run: Its attempts are the time that counts; what lies between them may be cut.
    """

    def __init__(self, run: Run) -> None:
        self._began = run.started
        spans = _spans(run)
        trained = sum(end - start for start, end in spans) or 1.0
        self.stretches = tuple(_stretches(spans, trained))
        self._whole = sum(stretch.width for stretch in self.stretches) or 1.0

    def x(self, time: float) -> float:
        """Where a moment is drawn; what lies outside goes to the nearest end."""
        return self._scale_to_drawing(self._at(time - self._began))

    def cuts(self) -> Iterator[Mark]:
        """The pauses that are shorter than they were, with how long they were."""
        for stretch in self.stretches:
            if stretch.cut:
                middle = self._scale_to_drawing(stretch.left + stretch.width / 2)
                yield Mark(middle, 0, duration(stretch.end - stretch.start), "middle")

    def ticks(self) -> Iterator[Mark]:
        """Round times since the start; none in a pause that is cut."""
        step = next((s for s in ROUND_SECONDS if self._whole / s <= MOST_TICKS), None)
        step = step or math.ceil(self._whole / MOST_TICKS / 86400) * 86400
        last = -math.inf
        for stretch in self.stretches:
            if stretch.cut:
                continue
            for number in range(math.ceil(stretch.start / step), int(stretch.end // step) + 1):
                x = self.x(self._began + number * step)
                if x - last >= (RIGHT - LEFT) / MOST_TICKS / 2:
                    yield below(x, exactly(number * step))
                    last = x

    def _at(self, seconds: float) -> float:
        for stretch in self.stretches:
            if seconds < stretch.end:
                long = stretch.end - stretch.start
                inside = max(seconds - stretch.start, 0.0) / long if long else 0.0
                return stretch.left + inside * stretch.width
        return self._whole

    def _scale_to_drawing(self, left: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * left / self._whole, 1)


def _spans(run: Run) -> list[tuple[float, float]]:
    """When something trained, in seconds since the start; spans that touch are one."""
    whole = max(run.seconds, 0.0)
    spans: list[tuple[float, float]] = []
    for attempt in run.attempts:
        start = max(attempt.started - run.started, 0.0)
        end = start + took(attempt, run)
        if not math.isfinite(end):
            continue
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans or [(0.0, whole if math.isfinite(whole) else 0.0)]


def _stretches(spans: list[tuple[float, float]], trained: float) -> Iterator[Stretch]:
    """The spans and the pauses before each, one after another."""
    left, last = 0.0, 0.0
    for start, end in spans:
        pause = start - last
        if pause > 0:
            cut = pause > LONGEST_PAUSE * trained
            width = CUT_TO * trained if cut else pause
            yield Stretch(last, start, left, width, cut)
            left += width
        yield Stretch(start, end, left, end - start)
        left, last = left + end - start, end
