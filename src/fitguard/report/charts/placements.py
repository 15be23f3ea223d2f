"""Many runs over time: a row for each card, a bar for each attempt on it, a dot for each fault."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec

from fitguard.report.blocks import Drawing, Key, Shape
from fitguard.report.charts import shapes
from fitguard.report.charts.line_chart import draw_ticks
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.report.charts.time_axis import TimeAxis
from fitguard.report.charts.timeline import LEAST_WIDTH, LEGEND, LETTER, NARROW_LETTER
from fitguard.report.rows.run_words import (
    GROUPS,
    describe_attempt,
    is_crash,
    took,
)
from fitguard.schema.run import Attempt, Run
from fitguard.words import count, duration, short

TITLE = "Attempts on each card over time"
NO_CARD = "no card told"
BAR_HEIGHT, LANE = 18, 21
HEAD, GAP, FOOT = 18, 8, 36
MOST_LANES = 16
"""More attempts on one card at once are drawn over one another."""
MOST_CARDS = 100
MOST_BARS = 3000
LONGEST_CARD = 60


class Placed(NamedTuple):
    """An attempt of a run, and when it was, in seconds since 1970."""

    run: Run
    attempt: Attempt
    start: float
    end: float


def draw_placements(runs: Sequence[Run]) -> Drawing | None:
    """The picture; None where nothing was ever started."""
    placed = sorted((one for run in runs for one in _place(run)), key=lambda one: one.start)
    if not placed:
        return None
    shown = placed[-MOST_BARS:]
    by_card: dict[str, list[Placed]] = {}
    for one in shown:
        by_card.setdefault(one.attempt.card or NO_CARD, []).append(one)
    cards = sorted(by_card)[:MOST_CARDS]
    axis = TimeAxis(_join(shown))
    drawn: list[Shape] = []
    top = 0
    for card in cards:
        lanes = _share_lanes(by_card[card])
        drawn += _draw_card(card, lanes, top, axis)
        top += HEAD + LANE * len(lanes) + GAP
    for cut in axis.cuts():
        tip = f"A pause of {cut.words}, drawn shorter than it was"
        drawn.append(shapes.upright("upright cut", cut.x, 0, top, tip))
    drawn += draw_ticks(tuple(axis.ticks()), top + 12)
    drawn.append(
        shapes.words("faint", RIGHT, top + FOOT - 6, "time since the first start →", "end")
    )
    groups = {GROUPS[one.attempt.outcome] for one in shown}
    legend = tuple(
        Key(f"ended-{group}", said, line=False) for group, said in LEGEND.items() if group in groups
    )
    return Drawing(
        TITLE, _describe(placed, shown, by_card, cards), top + FOOT, tuple(drawn), legend
    )


def _place(run: Run) -> Iterator[Placed]:
    for attempt in run.attempts:
        end = attempt.started + took(attempt, run)
        if math.isfinite(attempt.started) and math.isfinite(end):
            yield Placed(run, attempt, attempt.started, end)


def _join(placed: Sequence[Placed]) -> Run:
    """As if one run had made them all: the axis shows the time in which any of them trained."""
    first, last = placed[0].start, max(one.end for one in placed)
    attempts = tuple(msgspec.structs.replace(one.attempt, ended=one.end) for one in placed)
    return msgspec.structs.replace(
        placed[0].run, started=first, seconds=last - first, attempts=attempts
    )


def _share_lanes(placed: Sequence[Placed]) -> list[list[Placed]]:
    """Those that were on a card at the same time, one below the other."""
    lanes: list[list[Placed]] = []
    for one in placed:
        free = next((lane for lane in lanes if lane[-1].end <= one.start), None)
        if free is not None:
            free.append(one)
        elif len(lanes) < MOST_LANES:
            lanes.append([one])
        else:
            lanes[-1].append(one)
    return lanes


def _draw_card(
    card: str, lanes: Sequence[Sequence[Placed]], top: float, axis: TimeAxis
) -> Iterator[Shape]:
    yield shapes.level("lane", top)
    yield shapes.words("faint", LEFT, top + 13, short(card, LONGEST_CARD))
    for number, lane in enumerate(lanes):
        height = top + HEAD + number * LANE
        for one in lane:
            yield from _draw_bar(one, height, axis)
        # Above the bars: what goes on at once would cover them.
        for one in lane:
            if is_crash(one.attempt):
                yield shapes.dot("fault", axis.x(one.end), height + BAR_HEIGHT / 2, 5)


def _draw_bar(one: Placed, top: float, axis: TimeAxis) -> Iterator[Shape]:
    group = GROUPS[one.attempt.outcome]
    x = axis.x(one.start)
    width = max(axis.x(one.end) - x, LEAST_WIDTH)
    x = min(x, RIGHT - width)
    words = f"{one.run.id}, {describe_attempt(one.attempt, one.run)}"
    yield shapes.box(f"wide ended-{group}", x, width, top, BAR_HEIGHT, words)
    for letter, room in ((LETTER, "roomy"), (NARROW_LETTER, "tight")):
        if (len(one.run.id) + 2) * letter <= width:
            middle = top + BAR_HEIGHT / 2 + 4
            yield shapes.words(
                f"bar-label {room}", x + width / 2, middle, one.run.id, "middle", words
            )


def _describe(
    placed: Sequence[Placed],
    shown: Sequence[Placed],
    by_card: dict[str, list[Placed]],
    cards: Sequence[str],
) -> str:
    faults = sum(is_crash(one.attempt) for one in placed)
    seconds = max(one.end for one in placed) - placed[0].start
    made = f"{count(len(placed), 'attempt')} on {count(len(by_card), 'card')}"
    if set(by_card) == {NO_CARD}:
        made = f"{count(len(placed), 'attempt')}; no run tells of a card"
    said = [f"{made} in {duration(seconds)}. A dot marks a fault: {faults:,}."]
    if len(shown) < len(placed):
        said.append(f"Only the newest {len(shown):,} are drawn.")
    if len(cards) < len(by_card):
        said.append(f"{count(len(by_card) - len(cards), 'card')} more are not drawn.")
    return " ".join(said)
