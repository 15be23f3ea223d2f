"""Flight records, thinned out: extremes stay, and what cannot be drawn goes."""

import math

from fitguard.monitor.flight_record import Column
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.series import read_series, thin_column


def test_few_points_keep_all_extremes():
    values = [float(number % 10) for number in range(1000)]
    values[333], values[777] = -5.0, 99.0
    times = [float(number) for number in range(1000)]
    series = thin_column("loss", Column(times, times, values, values, values), most=20)
    assert len(series.times) == len(series.low) == len(series.last) == 20
    assert (min(series.low), max(series.high)) == (-5.0, 99.0)
    assert (series.times[-1], series.last[-1]) == (999.0, values[-1])


def test_what_is_no_number_is_left_out():
    values = [1.0, math.inf, 2.0]
    series = thin_column("loss", Column([1.0, 2.0, 3.0], [0.0] * 3, values, values, values))
    assert (series.times, series.last) == ((1.0, 3.0), (1.0, 2.0))


def test_only_what_is_wanted_is_read(tmp_path):
    folder = RunFolder(tmp_path)
    assert read_series(folder) == ()
    recorder = FlightRecorder(folder.flight_records / "child.record", ("loss", "gpu_power:1"))
    recorder.add(1.0, 1, {"loss": 1, "gpu_power:1": 200})
    recorder.close()
    assert [series.name for series in read_series(folder)] == ["gpu_power:1"]
    assert [series.name for series in read_series(folder, ("loss",))] == ["loss"]
