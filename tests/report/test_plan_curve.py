"""The drawing of the memory over the step."""

import re

import msgspec
import pytest
from report.made_plans import FITS, GIB, MIB, NO_CARD, TOO_LARGE, UNSURE, made_curve

from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.report.charts.step_memory import BOTTOM, MOST_AREAS, TOP, moment_table, step_chart
from fitguard.schema.plan import Card, Curve, Moment


def points(path: str) -> tuple[list[float], list[float]]:
    """All x and all y of a path of horizontal and vertical lines."""
    start = re.match(r"M([\d.]+) ([\d.]+)", path)
    assert start
    xs = [float(start[1]), *map(float, re.findall(r"H([\d.]+)", path))]
    return xs, [float(start[2]), *map(float, re.findall(r"V([\d.]+)", path))]


def phases(*names: str) -> Curve:
    return Curve((), tuple(Moment(bytes=MIB, phase=name) for name in names), 0)


def test_areas_stack_up_to_the_peak() -> None:
    drawn = step_chart(TOO_LARGE)
    assert [area.label for area in drawn.areas] == [*TOO_LARGE.curve.layers, "everything else"]
    assert [area.slot for area in drawn.areas][-2:] == ["5", "rest"]
    _, heights = points(drawn.areas[-1].path)
    assert min(heights) == drawn.peak.y
    for area in drawn.areas:
        xs, ys = points(area.path)
        assert (min(xs), max(xs)) == (LEFT, RIGHT)
        assert min(ys) >= TOP
        assert max(ys) <= BOTTOM
        assert area.path.endswith("Z")


def test_what_lies_upon_another_area_begins_where_that_ends() -> None:
    held = ((4, 2), (6, 2))
    moments = tuple(
        Moment(bytes=12 * MIB, phase="forward", held=tuple(part * MIB for part in parts))
        for parts in held
    )
    curve = Curve(("a", "b"), moments, 1)
    first, second, rest = step_chart(msgspec.structs.replace(NO_CARD, curve=curve)).areas
    assert (first.peak, second.peak, rest.peak) == ("6.0 MiB", "2.0 MiB", "4.0 MiB")
    assert set(points(first.path)[1]) & set(points(second.path)[1])
    assert set(points(second.path)[1]) & set(points(rest.path)[1])


def test_too_many_layers_are_joined() -> None:
    curve = made_curve(GIB, tuple(f"layer_{number}" for number in range(20)))
    areas = step_chart(msgspec.structs.replace(FITS, curve=curve)).areas
    assert [area.label for area in areas][-2:] == ["layer_7", "everything else"]
    assert len(areas) == MOST_AREAS + 1


def test_every_moment_tells_layer_operation_phase_and_bytes() -> None:
    drawn = step_chart(TOO_LARGE)
    assert len(drawn.columns) == len(TOO_LARGE.curve.moments)
    column = drawn.columns[TOO_LARGE.curve.peak]
    assert column.words.startswith("11.1 GiB\nconv1_conv · Conv2DBackpropFilter · backward\nconv1_")
    assert drawn.columns[-1].words.split("\n")[1] == "no layer · Conv2D · update"
    assert abs(drawn.columns[-1].x + drawn.columns[-1].width - RIGHT) < 0.2


def test_phases_cover_the_width_and_are_named_once() -> None:
    curve = phases(*["forward"] * 8, "backward", "update", *["backward"] * 4, "update")
    runs = step_chart(msgspec.structs.replace(NO_CARD, curve=curve)).phases
    assert [run.phase for run in runs] == ["forward", "backward", "update", "backward", "update"]
    assert [run.label for run in runs] == ["forward", "", "", "backward", ""]
    assert round(sum(run.width for run in runs)) == RIGHT - LEFT


def test_the_limit_of_the_card() -> None:
    too_large, fits = step_chart(TOO_LARGE), step_chart(FITS)
    assert too_large.limit.y > too_large.peak.y  # downwards
    assert fits.limit.y < fits.peak.y
    assert too_large.limit.words == "usable: 7.2 GiB"
    assert step_chart(NO_CARD).limit is None


def test_a_limit_far_above_is_said_and_not_drawn() -> None:
    card = Card(memory_bytes=80 * GIB, free_bytes=80 * GIB, usable_bytes=79 * GIB)
    drawn = step_chart(msgspec.structs.replace(FITS, card=card))
    assert drawn.limit is None
    assert drawn.note == "The card has 79.0 GiB, far above this chart."


@pytest.mark.parametrize("peak_bytes", [1, 700, 5000, 3 * MIB, 900 * MIB, 12 * GIB, 3000 * GIB])
def test_ticks_are_few_and_round(peak_bytes: int) -> None:
    curve = Curve((), (Moment(bytes=0, phase="forward"), Moment(bytes=peak_bytes, phase="update")))
    ticks = step_chart(msgspec.structs.replace(NO_CARD, curve=curve)).ticks
    assert 2 <= len(ticks) <= 7
    assert ticks[0].y == BOTTOM
    assert all(len(tick.words) <= 9 for tick in ticks)


@pytest.mark.parametrize("curve", [Curve(), phases("forward")])
def test_no_moments_no_step_chart(curve: Curve) -> None:
    assert step_chart(msgspec.structs.replace(FITS, curve=curve)) is None
    assert step_chart(UNSURE) is None


def test_numbers_that_contradict_each_other_break_nothing() -> None:
    moment = Moment(bytes=MIB, phase="forward", held=(5 * MIB,))
    curve = Curve(("a", "b"), (moment, Moment(bytes=0, phase="update", held=(-3, 1, 4))), 99)
    drawn = step_chart(msgspec.structs.replace(NO_CARD, curve=curve))
    assert drawn.peak.words == "peak: 0 bytes"
    assert drawn.areas[0].label == "a"


def test_the_table_has_every_moment() -> None:
    rows = moment_table(TOO_LARGE.curve).rows
    assert len(rows) == len(TOO_LARGE.curve.moments)
    assert rows[TOO_LARGE.curve.peak][:5] == (
        "108", "backward", "conv1_conv", "Conv2DBackpropFilter", "11.1 GiB",
    )  # fmt: skip
    assert rows[0][5].startswith("conv1_conv ")
