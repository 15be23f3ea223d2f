"""The drawings of a run: time, attempts, loss, memory."""

import math
import re

import msgspec
import pytest
from report.made_runs import (
    BEGAN,
    EPOCH,
    GIB,
    INEXACT,
    NEVER_STARTED,
    PLAIN,
    STOPPED,
    SURVIVED,
    at,
    made_losses,
    made_series,
    often_killed,
)

from fitguard.report.charts.line_chart import (
    BOTTOM,
    MOST_COLUMNS,
    MOST_TALL,
    TOP,
    Chart,
    apart,
    envelope,
    round_step,
)
from fitguard.report.charts.measured import draw_gpus, draw_steps
from fitguard.report.charts.memory import memory_chart
from fitguard.report.charts.metrics import metric_charts
from fitguard.report.charts.scale import MetricScale
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.report.charts.time_axis import TimeAxis
from fitguard.report.charts.timeline import timeline
from fitguard.schema.run import Attempt, LossPoint, MemorySample, Run, Series


def loss_chart(run: Run) -> Chart | None:
    """The first chart of a run."""
    return next(metric_charts(run), None)


def xs(path: str) -> list[float]:
    """The places along the width that a path goes to."""
    return [float(x) for x in re.findall(r"(?<![\d.])(\d+\.\d) \d+\.\d", path)]


@pytest.mark.parametrize(
    ("whole", "step"), [(10, 2), (4.9, 1), (0.03, 0.01), (12_000, 5000), (0, 1), (math.inf, 1)]
)
def test_round_steps(whole: float, step: float) -> None:
    assert round_step(whole) == pytest.approx(step)


def test_an_envelope_keeps_what_stands_out() -> None:
    points = [(place / 100, math.sin(place)) for place in range(10_000)]
    points[5050] = (50.5, 99.0)
    kept = envelope(points)
    assert (50.5, 99.0) in kept
    assert len(kept) <= 400
    assert kept == sorted(kept, key=lambda point: point[0])


def test_labels_keep_their_distance() -> None:
    assert apart([1, 2, 30, 31, 60], 20) == [True, False, True, False, True]


def test_time_goes_from_edge_to_edge() -> None:
    axis = TimeAxis(SURVIVED)
    assert axis.x(BEGAN - 50) == axis.x(BEGAN) == LEFT
    assert axis.x(BEGAN + 9999) == RIGHT
    assert axis.x(BEGAN + 2800) == pytest.approx((LEFT + RIGHT) / 2, abs=1)
    assert not list(axis.cuts())
    assert [tick.words for tick in axis.ticks()][:3] == ["0", "15 min", "30 min"]


def test_a_long_pause_is_cut_and_told() -> None:
    axis = TimeAxis(INEXACT)
    assert [cut.words for cut in axis.cuts()] == ["1 d 23 h"]
    first = axis.x(BEGAN + 600) - axis.x(BEGAN)
    second = axis.x(BEGAN + 2 * 86_400 + 900) - axis.x(BEGAN + 2 * 86_400)
    assert second == pytest.approx(1.5 * first, rel=0.01)
    words = [tick.words for tick in axis.ticks()]
    assert words == ["0", "5 min", "10 min", "2 d 5 min", "2 d 10 min", "2 d 15 min"]


def test_each_attempt_is_a_bar_in_the_colour_of_its_end() -> None:
    drawn = timeline(SURVIVED)
    assert drawn is not None
    assert [bar.group for bar in drawn.bars] == ["memory", "failed", "finished"]
    assert [bar.label for bar in drawn.bars] == ["1", "2 killed by SIGKILL", "3 finished"]
    assert drawn.bars[1].words == (
        "Attempt 2: killed by SIGKILL · host-oom · 30 min · 2,461 steps · 41 lost"
    )
    ends = [bar.x + bar.width for bar in drawn.bars]
    assert all(LEFT <= bar.x <= end <= RIGHT for bar, end in zip(drawn.bars, ends, strict=True))
    assert [group for group, _ in drawn.legend] == ["finished", "memory", "failed"]
    assert len(drawn.decisions) == 2
    assert len(drawn.snapshots) == len(SURVIVED.saved)
    assert drawn.snapshots[0].words == "Snapshot: epoch 1, step 190 · 96.0 MiB"


def test_many_attempts_stay_inside_and_are_drawn_small() -> None:
    drawn = timeline(often_killed(300))
    assert drawn is not None
    assert drawn.crowded
    assert len(drawn.bars) == 300
    assert all(LEFT <= bar.x <= bar.x + bar.width <= RIGHT for bar in drawn.bars)
    assert timeline(NEVER_STARTED) is None


def test_attempts_without_length_are_still_seen() -> None:
    at_once = tuple(Attempt(number=n, started=BEGAN, ended=BEGAN) for n in (1, 2))
    drawn = timeline(msgspec.structs.replace(STOPPED, seconds=0.0, attempts=at_once))
    assert drawn is not None
    assert all(bar.width >= 1 for bar in drawn.bars)


def test_the_loss_goes_on_over_a_restart() -> None:
    chart = loss_chart(SURVIVED)
    assert chart is not None
    so_far, loss, validation, again = chart.lines
    assert (loss.label, validation.label) == ("loss of each epoch", "val_loss")
    assert loss.path.count("M") == 1  # one line, whatever number of attempts
    assert so_far.path.count("M") == 20  # it starts anew with each epoch
    places = xs(loss.path)
    assert places == sorted(places)
    assert places[-1] == RIGHT
    assert again.label == "lost in a crash and done again"
    assert min(xs(again.path)) > LEFT
    assert [(mark.label, mark.kind) for mark in chart.uprights] == [("3", "failed")]
    assert chart.uprights[0].x == pytest.approx(LEFT + (RIGHT - LEFT) * 2420 / 8000, abs=0.1)
    assert len(validation.dots) == 20


def test_what_was_lost_has_the_same_loss_where_the_restart_was_exact() -> None:
    chart = loss_chart(SURVIVED)
    assert chart is not None
    so_far, _, _, again = chart.lines
    lost = set(re.findall(r"\d+\.\d \d+\.\d", again.path))
    assert lost
    assert lost <= set(re.findall(r"\d+\.\d \d+\.\d", so_far.path))


def test_several_fits_follow_one_another() -> None:
    chart = loss_chart(INEXACT)
    assert chart is not None
    loss = chart.lines[1]
    assert loss.path.count("M") == 1  # only the first fit came to the end of an epoch
    assert chart.lines[0].path.count("M") == 4 + 1
    assert chart.across == "steps of the optimizer, all calls of fit"
    assert "in 1,700 steps" in chart.description


def test_many_restarts_do_not_hide_the_loss() -> None:
    chart = loss_chart(often_killed(300))
    assert chart is not None
    assert len(chart.uprights) > MOST_TALL
    assert not any(mark.tall or mark.label for mark in chart.uprights)
    assert len(chart.columns) <= MOST_COLUMNS + 1


def test_every_metric_has_a_chart_with_its_validation_and_the_learning_rate_comes_last() -> None:
    points = made_losses(1, 0, 1200, BEGAN, 10)
    rated = [
        msgspec.structs.replace(point, logs={"learning_rate": 0.1, **point.logs})
        for point in points
    ]
    charts = list(metric_charts(msgspec.structs.replace(PLAIN, losses=tuple(rated))))
    assert [chart.title for chart in charts] == ["Loss", "Accuracy", "Learning rate"]
    assert [line.label for line in charts[1].lines] == [
        "accuracy, so far in the epoch",
        "accuracy of each epoch",
        "val_accuracy",
    ]
    (rate,) = charts[2].lines
    assert (rate.label, rate.path.count("M")) == ("learning_rate", 1)


def test_the_first_batches_of_an_epoch_make_no_jump() -> None:
    points = made_losses(1, 0, 1200, BEGAN, 10)
    jump = LossPoint(time=BEGAN + 5, attempt=1, place=at(EPOCH + 1), logs={"loss": 99.0})
    calm, jumping = (
        loss_chart(msgspec.structs.replace(PLAIN, losses=tuple(losses)))
        for losses in (points, [*points, jump])
    )
    assert calm is not None
    assert calm == jumping


def test_attempts_are_marked_in_every_chart() -> None:
    charts = [*metric_charts(SURVIVED), memory_chart(SURVIVED)]
    assert [[mark.label for mark in chart.uprights] for chart in charts if chart] == [
        ["3"],
        ["3"],
        ["2", "3"],
    ]


def test_values_that_are_no_numbers_interrupt_the_line() -> None:
    points = made_losses(1, 0, 400, BEGAN, 10)
    points[8] = msgspec.structs.replace(points[8], logs={"loss": math.nan})
    points[9] = msgspec.structs.replace(points[9], logs={"loss": math.inf})
    chart = loss_chart(msgspec.structs.replace(PLAIN, losses=tuple(points)))
    assert chart is not None
    assert chart.lines[0].path.count("M") == 2
    assert "nan" not in chart.lines[0].path
    assert any("loss nan" in column.words for column in chart.columns)


@pytest.mark.parametrize(
    "logs", [{}, {"loss": math.nan}], ids=["nothing was logged", "no value is a number"]
)
def test_no_loss_no_picture(logs: dict[str, float]) -> None:
    points = tuple(LossPoint(time=BEGAN, attempt=1, place=at(n), logs=logs) for n in (1, 2, 3))
    assert loss_chart(msgspec.structs.replace(PLAIN, losses=points)) is None
    assert loss_chart(NEVER_STARTED) is None


def test_another_name_than_loss() -> None:
    points = tuple(
        LossPoint(time=BEGAN, attempt=1, place=at(n), logs={"energy": -n}) for n in (1, 2, 3)
    )
    chart = loss_chart(msgspec.structs.replace(PLAIN, losses=points))
    assert chart is not None
    assert [line.label for line in chart.lines] == ["energy"]


def test_a_loss_over_powers_of_ten_has_a_logarithmic_scale() -> None:
    scale = MetricScale(1e-4, 100.0)
    assert scale.logarithmic
    assert [tick.words for tick in scale.ticks()] == ["0.0001", "0.001", "0.01", "0.1", "1", "10",
                                                      "100"]  # fmt: skip
    assert TOP < scale.y(100.0) < scale.y(1.0) < scale.y(1e-4) < BOTTOM
    assert not MetricScale(0.5, 2.0).logarithmic
    assert not MetricScale(-1.0, 100.0).logarithmic


def test_a_loss_that_never_moves() -> None:
    assert TOP < MetricScale(0.7, 0.7).y(0.7) < BOTTOM
    assert TOP < MetricScale(0.0, 0.0).y(0.0) < BOTTOM


def test_memory_has_a_line_for_each_reading_broken_between_attempts() -> None:
    chart = memory_chart(SURVIVED)
    assert chart is not None
    assert [line.slot for line in chart.lines] == ["host", "gpu", "allocator"]
    assert [line.path.count("M") for line in chart.lines] == [3, 3, 3]
    assert chart.limit is not None
    assert chart.limit.words == "limit of the host: 6.0 GiB"
    assert "GPU, as the driver counts: up to 7.1 GiB" in chart.description
    assert "largest free block" in chart.columns[0].words


def samples(**fields: int) -> Run:
    """A run with nothing but these samples."""
    taken = [MemorySample(time=BEGAN + n, attempt=1, **fields) for n in range(100)]
    return msgspec.structs.replace(PLAIN, samples=tuple(taken))


def test_a_limit_far_above_is_told_in_words() -> None:
    chart = memory_chart(samples(host_bytes=GIB, host_limit_bytes=64 * GIB))
    assert chart is not None
    assert chart.limit is None
    assert chart.note == "The host may have 64.0 GiB, far above this chart."
    assert len(chart.lines) == 1


def test_no_samples_no_picture() -> None:
    assert memory_chart(NEVER_STARTED) is None
    assert memory_chart(samples(total_steps=3)) is None


def test_many_samples_give_a_short_path() -> None:
    taken = tuple(
        MemorySample(time=BEGAN + n / 30, attempt=1, host_bytes=GIB + n % 1000 * 2**20)
        for n in range(100_000)
    )
    chart = memory_chart(msgspec.structs.replace(PLAIN, samples=taken))
    assert chart is not None
    assert len(chart.lines[0].path) < 60_000


def test_what_was_measured_is_drawn_with_its_limit() -> None:
    names = ("allocator_peak_bytes", "allocator_low_bytes", "allocator_limit_bytes")
    run = msgspec.structs.replace(
        SURVIVED, series=tuple(made_series(name, BEGAN, 5600) for name in (*names, "step_seconds"))
    )
    memory, speed, time = draw_steps(run)
    assert [key.label for key in memory.legend] == ["most in a step", "between two steps"]
    assert any("TensorFlow may have" in shape.words for shape in memory.shapes)
    assert speed.legend[0].value == "0.00277 steps a second"
    assert time.legend[0].value == "361,000 ms"
    # A step of no time at all has no speed, and breaks nothing.
    assert "0 steps a second to 1 steps a second" in speed.description


def test_a_line_is_not_drawn_through_the_pause_between_attempts() -> None:
    run = msgspec.structs.replace(SURVIVED, series=(made_series("step_seconds", BEGAN, 5600),))
    (path,) = [shape.at["d"] for shape in next(draw_steps(run)).shapes if shape.tag == "path"]
    assert str(path).count("M") == 3


def test_gpus_that_do_not_fit_into_a_chart_are_counted() -> None:
    series = tuple(made_series(f"gpu_power:{index}") for index in range(8))
    (power,) = draw_gpus(msgspec.structs.replace(SURVIVED, series=series))
    assert len(power.legend) == 4
    assert power.description.endswith("4 more GPUs are in the JSON.")


def test_nothing_is_drawn_of_what_was_measured_once() -> None:
    once = Series(name="step_seconds", times=(BEGAN,), low=(1.0,), high=(1.0,), last=(1.0,))
    run = msgspec.structs.replace(SURVIVED, series=(once,))
    assert list(draw_steps(run)) == []
    assert list(draw_gpus(run)) == []
