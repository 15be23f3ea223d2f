"""The flight record: rings that wrap, processes that are killed, files that are none."""

import os
import signal
import subprocess
import sys

import pytest

from fitguard.monitor.flight_record import (
    HEADER_BYTES,
    NoFlightRecord,
    Ring,
    read_flight_record,
    read_flight_records,
)
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.schema.metrics import METRICS, split_column

COLUMNS = ("loss", "host_bytes", "gpu_used_bytes:0")
SMALL = (Ring(0, 4), Ring(5, 3), Ring(20, 100))


def test_samples_are_read_as_they_were_written(tmp_path):
    recorder = FlightRecorder(tmp_path / "a.record", COLUMNS)
    for number in range(5):
        recorder.add(100.0 + number, number, {"loss": 1 / 4, "host_bytes": None})
    recorder.close()
    record = read_flight_record(tmp_path / "a.record")
    assert set(record.columns) == {"loss"}
    loss = record.get("loss")
    assert list(loss.times) == [100, 101, 102, 103, 104]
    assert list(loss.steps) == [0, 1, 2, 3, 4]
    assert set(loss.last) == set(loss.low) == set(loss.high) == {0.25}
    assert len(record.get("host_bytes")) == 0
    assert record.last_time == 104


def test_what_is_older_is_thinned_and_keeps_its_extremes(tmp_path):
    recorder = FlightRecorder(tmp_path / "a.record", COLUMNS, SMALL)
    for second in range(100):
        recorder.add(float(second), second, {"loss": 99.0 if second == 31 else second})
    recorder.close()
    loss = read_flight_record(tmp_path / "a.record").get("loss")
    assert list(loss.times) == sorted(loss.times)
    assert list(loss.last)[-4:] == [96, 97, 98, 99]
    assert list(loss.last)[:4] == [19, 39, 59, 79]
    assert (loss.low[1], loss.high[1]) == (20, 99)


def test_another_process_goes_on_where_one_was_killed(tmp_path):
    path = tmp_path / "a.record"
    script = (
        "import os, signal, pathlib\n"
        "from fitguard.monitor.flight_recorder import FlightRecorder\n"
        f"recorder = FlightRecorder(pathlib.Path({str(path)!r}), {COLUMNS!r})\n"
        "for number in range(7): recorder.add(number, number, {'loss': number})\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False)
    assert done.returncode == -signal.SIGKILL
    recorder = FlightRecorder(path, COLUMNS)
    recorder.add(7, 7, {"loss": 7})
    recorder.close()
    assert list(read_flight_record(path).get("loss").last) == [0, 1, 2, 3, 4, 5, 6, 7]


def test_other_columns_get_a_file_beside(tmp_path):
    for columns in (COLUMNS, ("loss",), COLUMNS, ("loss",)):
        recorder = FlightRecorder(tmp_path / "a.record", columns)
        recorder.add(len(columns), 0, {"loss": len(columns)})
        recorder.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a-2.record", "a.record"]
    record = read_flight_records(sorted(tmp_path.iterdir()))
    assert list(record.get("loss").last) == [1, 1, 3, 3]


def test_a_slot_that_was_being_written_is_left_out(tmp_path):
    path = tmp_path / "a.record"
    recorder = FlightRecorder(path, COLUMNS)
    for number in range(3):
        recorder.add(number, number, {"loss": number})
    recorder.close()
    content = bytearray(path.read_bytes())
    content[HEADER_BYTES + 2 * 48] ^= 0xFF
    path.write_bytes(content)
    assert list(read_flight_record(path).get("loss").last) == [0, 2]


@pytest.mark.parametrize(
    "content",
    [b"", b"x" * HEADER_BYTES, b"FGREC1\n\0" + b"\xff" * HEADER_BYTES],
    ids=["empty", "other", "damaged"],
)
def test_what_is_no_record(tmp_path, content):
    (tmp_path / "a.record").write_bytes(content)
    with pytest.raises(NoFlightRecord):
        read_flight_record(tmp_path / "a.record")
    assert not read_flight_records([tmp_path / "a.record", tmp_path / "none"]).columns


def test_a_file_that_is_cut_short_gives_what_is_left(tmp_path):
    path = tmp_path / "a.record"
    recorder = FlightRecorder(path, COLUMNS)
    for number in range(10):
        recorder.add(number, number, {"loss": number})
    recorder.close()
    os.truncate(path, HEADER_BYTES + 5 * 48 + 7)
    assert list(read_flight_record(path).get("loss").last) == [0, 1, 2, 3]


def test_a_disk_that_refuses_costs_samples_only(tmp_path):
    (tmp_path / "taken").write_text("")
    recorder = FlightRecorder(tmp_path / "taken" / "a.record", COLUMNS)
    recorder.add(1, 1, {"loss": 1})
    assert isinstance(recorder.problem, OSError)
    recorder.close()


def test_a_month_of_eight_gpus_is_bounded(tmp_path):
    columns = [
        name if not metric.each_gpu else f"{name}:{gpu}"
        for name, metric in METRICS.items()
        for gpu in range(8 if metric.each_gpu else 1)
    ]
    recorder = FlightRecorder(tmp_path / "a.record", columns)
    recorder.close()
    assert recorder.problem is None
    assert recorder.file_bytes < 50e6


def test_columns_say_what_they_are_of():
    assert split_column("loss") == (METRICS["loss"], None)
    assert split_column("gpu_power:3") == (METRICS["gpu_power"], 3)
    assert split_column("gpu_power") is None
    assert split_column("other:3") is None
