"""The memory over the step as a drawing: areas by layer, phases, the peak, the card's limit."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

from fitguard.report.blocks import Drawing, Key, Shape, Table
from fitguard.report.charts import shapes
from fitguard.report.charts.line_chart import Column, Mark, draw_limit
from fitguard.report.charts.scale import ByteScale
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.schema.plan import Curve, Moment, Plan
from fitguard.words import count, join, percent, short, size

HEIGHT = 340
TOP, BOTTOM = 26, 290
STRIP_HEIGHT = 20
MOST_AREAS = 8
LEAST_LABEL = 75
"""A phase that is narrower has no room for its name."""
LONGEST_NAME = 40
TITLE = "Memory over the step"
OTHER = "everything else"


class Area(NamedTuple):
    """What one layer holds over the step.

    Args:
        slot: Which color it has; `rest` for everything else.
        path: Its outline as SVG writes it.
        peak: What it holds at the peak, in words.
    """

    label: str
    slot: str
    path: str
    peak: str


class Phase(NamedTuple):
    """Moments of one phase in a row; without a label where there is no room for one."""

    phase: str
    x: float
    width: float
    label: str


class StepChart(NamedTuple):
    """The chart, before it is drawn.

    Args:
        limit: What the card has for the step; None without a card, or far above the picture.
        note: On a limit that is not in the picture.
    """

    description: str
    areas: tuple[Area, ...]
    columns: tuple[Column, ...]
    phases: tuple[Phase, ...]
    ticks: tuple[Mark, ...]
    peak: Mark
    limit: Mark | None
    note: str


def draw_step(plan: Plan) -> Drawing | None:
    """The picture; None where the plan has no curve."""
    chart = step_chart(plan)
    if chart is None:
        return None
    legend = tuple(Key(f"slot-{a.slot}", a.label, a.peak, line=False) for a in chart.areas)
    return Drawing(
        TITLE,
        f"{chart.description} {chart.note}".strip(),
        HEIGHT,
        tuple(_draw(chart)),
        legend,
        "Held at the peak:",
        moment_table(plan.curve),
    )


def _draw(chart: StepChart) -> Iterator[Shape]:
    for tick in chart.ticks:
        yield shapes.level("grid", tick.y)
    for area in chart.areas:
        yield shapes.trace(f"area slot-{area.slot}", area.path)
    for tick in chart.ticks:
        yield shapes.words("faint halo", LEFT, tick.y - 3, tick.words)
    for phase in chart.phases:
        kind = f"phase-{phase.phase}"
        yield shapes.box(kind, phase.x, phase.width, BOTTOM + 4, STRIP_HEIGHT)
        middle = phase.x + phase.width / 2
        yield shapes.words("phase-label", middle, BOTTOM + 18, phase.label, "middle")
    if chart.limit:
        yield from draw_limit(chart.limit)
    peak = chart.peak
    beside = 10 if peak.anchor == "start" else -10
    yield shapes.dot("peak", peak.x, peak.y, 5)
    yield shapes.words("peak-label halo", peak.x + beside, peak.y - 6, peak.words, peak.anchor)
    for column in chart.columns:
        yield shapes.box("column", column.x, column.width, TOP, BOTTOM - TOP, column.words)
    yield shapes.words("faint", RIGHT, HEIGHT - 4, "operations in order, not time →", "end")


def step_chart(plan: Plan) -> StepChart | None:
    """Areas by layer over the moments of the step."""
    curve = plan.curve
    if len(curve.moments) < 2:
        return None
    peak_at = min(max(curve.peak, 0), len(curve.moments) - 1)
    highest = max(max(moment.bytes for moment in curve.moments), 1)
    usable = plan.card.usable_bytes if plan.card else None
    scale = _Scale(highest, usable, len(curve.moments))
    return StepChart(
        description=_description(plan, peak_at),
        areas=tuple(_areas(curve, peak_at, scale)),
        columns=tuple(_columns(curve, scale)),
        phases=tuple(_phases(curve, scale)),
        ticks=tuple(scale.ticks()),
        peak=_peak(curve.moments[peak_at], peak_at, scale),
        limit=scale.limit("usable"),
        note=scale.note("The card has"),
    )


def moment_table(curve: Curve) -> Table:
    """The same as a table, with the layers that hold most at each moment."""
    rows = tuple(
        (
            str(number),
            moment.phase,
            short(moment.layer, LONGEST_NAME),
            short(moment.operation, LONGEST_NAME),
            size(moment.bytes),
            _holders(curve, moment),
        )
        for number, moment in enumerate(curve.moments)
    )
    return Table(("moment", "phase", "layer", "operation", "held", "most of it by"), rows)


class _Scale(ByteScale):
    """From bytes and moments to places in the drawing."""

    def __init__(self, highest: int, limit: int | None, moments: int) -> None:
        super().__init__(highest, limit, BOTTOM)
        self.step = (RIGHT - LEFT) / moments

    def x(self, moment: int) -> float:
        return round(LEFT + moment * self.step, 1)


def _areas(curve: Curve, peak_at: int, scale: _Scale) -> Iterator[Area]:
    """From the ground up: the layers in their order, then everything else."""
    held = [_split_by_area(curve, moment) for moment in curve.moments]
    stacked = [tuple(accumulate(parts, initial=0)) for parts in held]
    names = [short(name, LONGEST_NAME) for name in curve.layers[:MOST_AREAS]]
    for place, name in enumerate([*names, OTHER if names else "the step"]):
        lower = [heights[place] for heights in stacked]
        upper = [heights[place + 1] for heights in stacked]
        if lower == upper:
            continue
        slot = str(place) if place < len(names) else "rest"
        yield Area(name, slot, _outline(lower, upper, scale), size(held[peak_at][place]))


def _split_by_area(curve: Curve, moment: Moment) -> list[int]:
    """What each area holds at a moment; the last one is everything else."""
    places = len(curve.layers[:MOST_AREAS])
    parts = [max(part, 0) for part in moment.held[:places]]
    parts += [0] * (places - len(parts))
    return [*parts, max(moment.bytes - sum(parts), 0)]


def _outline(lower: Sequence[int], upper: Sequence[int], scale: _Scale) -> str:
    """Along the upper edge to the right, and back along the lower one."""
    there = "".join(_edge(upper, scale))
    back = _backwards(lower, scale)
    return f"M{LEFT} {scale.y(upper[0])}{there}H{RIGHT}{back}Z"


def _edge(heights: Sequence[int], scale: _Scale) -> Iterator[str]:
    """Memory changes at once and then stays: steps, one where the height changes."""
    for moment, (before, now) in enumerate(pairwise(heights), start=1):
        if scale.y(before) != scale.y(now):
            yield f"H{scale.x(moment)}V{scale.y(now)}"


def _backwards(heights: Sequence[int], scale: _Scale) -> str:
    parts = [f"V{scale.y(heights[-1])}"]
    for moment in range(len(heights) - 1, 0, -1):
        if scale.y(heights[moment]) != scale.y(heights[moment - 1]):
            parts.append(f"H{scale.x(moment)}V{scale.y(heights[moment - 1])}")
    return "".join([*parts, f"H{LEFT}"])


def _columns(curve: Curve, scale: _Scale) -> Iterator[Column]:
    for number, moment in enumerate(curve.moments):
        name = short(moment.layer, LONGEST_NAME) or "no layer"
        doing = join([name, short(moment.operation, LONGEST_NAME), moment.phase])
        words = f"{size(moment.bytes)}\n{doing}\n{_holders(curve, moment)}".rstrip()
        yield Column(scale.x(number), round(scale.step, 2), words)


def _holders(curve: Curve, moment: Moment) -> str:
    """The three layers that hold most."""
    pairs = zip(moment.held, curve.layers, strict=False)
    most = sorted(pairs, key=lambda pair: -pair[0])[:3]
    return ", ".join(f"{short(name, LONGEST_NAME)} {size(held)}" for held, name in most if held > 0)


def _phases(curve: Curve, scale: _Scale) -> Iterator[Phase]:
    begun, named = 0, set()
    runs = [(phase, len(list(run))) for phase, run in groupby(m.phase for m in curve.moments)]
    widest = {phase: max(long for other, long in runs if other == phase) for phase, _ in runs}
    for phase, long in runs:
        width = round(long * scale.step, 1)
        labelled = long == widest[phase] and phase not in named and width >= LEAST_LABEL
        named |= {phase} if labelled else set()
        yield Phase(phase, scale.x(begun), width, phase if labelled else "")
        begun += long


def _peak(moment: Moment, number: int, scale: _Scale) -> Mark:
    x = scale.x(number) + scale.step / 2
    anchor = "start" if x < (LEFT + RIGHT) / 2 else "end"
    return Mark(round(x, 1), scale.y(moment.bytes), f"peak: {size(moment.bytes)}", anchor)


def _description(plan: Plan, peak_at: int) -> str:
    moments = plan.curve.moments
    peak = moments[peak_at]
    where = join([short(peak.layer, LONGEST_NAME), short(peak.operation, LONGEST_NAME)])
    at = f", at {where}" if where else ""
    reached = percent(peak_at, len(moments) - 1)
    return (
        f"{count(len(moments), 'moment')} in the order of execution. The peak of "
        f"{size(peak.bytes)} is in the {peak.phase} phase{at}, {reached} of the way through."
    )
