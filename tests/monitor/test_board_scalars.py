"""Which points TensorBoard gets."""

from fitguard.monitor.board_scalars import BoardScalars
from fitguard.monitor.flight_record import Column, FlightRecord


def make_record(points):
    """A record of (time, steps)."""
    times, steps = zip(*points, strict=True)
    values = [float(step) for step in steps]
    column = Column(times, steps, values, values, values)
    gpu = Column([time - 1 for time in times], steps, values, values, values)
    return FlightRecord({"loss": column, "gpu_power:1": gpu, "of a later version": column})


def pick_steps(scalars, points):
    return [one.step for one in scalars.pick(make_record(points)) if one.tag == "fitguard/loss"]


def test_steps_that_are_trained_again_get_no_second_point():
    scalars = BoardScalars(began=0.0)
    points = [(5, 10), (10, 20), (15, 30)]
    assert pick_steps(scalars, points) == [10, 20, 30]
    again = [*points, (60, 20), (65, 30), (70, 40)]
    assert pick_steps(scalars, again) == [40]
    assert pick_steps(scalars, again) == []


def test_a_run_that_is_resumed_goes_on_behind_what_has_a_point():
    assert pick_steps(BoardScalars(0.0, 25), [(5, 10), (10, 20), (15, 30)]) == [30]


def test_points_become_rare_with_time_and_each_gpu_has_a_tag():
    week = [(1e5 + 5 * number, number) for number in range(1, 1000)]
    scalars = list(BoardScalars(0.0).pick(make_record(week)))
    assert {one.tag for one in scalars} == {"fitguard/loss", "fitguard/gpu_power_1"}
    assert len(scalars) < 2 * 110
    steps = {tag: [one.step for one in scalars if tag in one.tag] for tag in ("gpu", "loss")}
    assert steps["gpu"] == steps["loss"]


def test_nothing_measured_is_nothing_written():
    assert list(BoardScalars(0.0).pick(FlightRecord())) == []


def test_values_are_those_of_the_step_and_the_end_has_a_point():
    """The two processes that measure end their five seconds a moment apart."""
    times = (5.9, 10.9, 15.9, 17.0)
    inside = Column([time + 0.05 for time in times], (10, 20, 30, 33), *[(10, 20, 30, 33)] * 3)
    outside = Column(times, (10, 20, 30, 33), *[(1, 2, 3, 4)] * 3)
    record = FlightRecord({"loss": inside, "host_bytes": outside})
    points = list(BoardScalars(0.0).pick(record, is_last=True))
    loss = [(one.step, one.value) for one in points if one.tag == "fitguard/loss"]
    assert loss == [(10, 10), (20, 20), (30, 30), (33, 33)]
