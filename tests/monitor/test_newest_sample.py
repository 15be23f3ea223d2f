"""The newest sample of a flight record: of rings that wrapped, of files that are none."""

from fitguard.monitor.flight_record import HEADER_BYTES, Layout, Ring, pack_header
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.newest_sample import Sample, read_newest_sample

COLUMNS = ("loss", "host_bytes")
SMALL = (Ring(0, 8), Ring(5, 3))


def test_the_newest_of_each_column_is_read_after_the_ring_has_wrapped(tmp_path):
    path = tmp_path / "a.record"
    recorder = FlightRecorder(path, COLUMNS, SMALL)
    for second in range(20):
        values = {"loss": second, "host_bytes": 7 if second == 17 else None}
        recorder.add(100 + second, 10 * second, values)
    found = read_newest_sample([path])
    assert found == Sample(119.0, {"loss": 19.0, "host_bytes": 7.0}, 10.0)


def test_what_an_earlier_attempt_measured_is_left_out(tmp_path):
    path = tmp_path / "a.record"
    FlightRecorder(path, COLUMNS).add(100, 1, {"loss": 1})
    assert read_newest_sample([path], since=101) == Sample()


def test_files_are_joined_and_broken_ones_are_named(tmp_path):
    child, parent, broken = (tmp_path / f"{name}.record" for name in ("child", "parent", "broken"))
    FlightRecorder(child, ("loss",)).add(100, 1, {"loss": 1})
    FlightRecorder(parent, ("host_bytes",)).add(102, 1, {"host_bytes": 5})
    broken.write_bytes(b"nothing of ours")
    paths = [child, broken, parent, tmp_path / "none"]
    assert read_newest_sample(paths) == Sample(
        102.0,
        {"loss": 1.0, "host_bytes": 5.0},
        unreadable=(
            "broken.record: it does not begin as a flight record does",
            "none: No such file or directory",
        ),
    )


def test_a_record_without_rings_or_cut_short_gives_nothing(tmp_path):
    path = tmp_path / "a.record"
    path.write_bytes(pack_header(Layout(("loss",), ())))
    assert read_newest_sample([path]) == Sample()
    path.write_bytes(pack_header(Layout(("loss",), SMALL)) + b"\1" * 39)
    assert path.stat().st_size > HEADER_BYTES
    assert read_newest_sample([path]) == Sample()


def test_no_speed_is_told_where_no_step_was_taken(tmp_path):
    path = tmp_path / "a.record"
    recorder = FlightRecorder(path, ("loss",))
    for second in range(5):
        recorder.add(second, 3, {"loss": 1})
    assert read_newest_sample([path]).steps_per_second is None
