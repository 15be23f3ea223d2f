"""When a line was written."""

import pytest

from fitguard.crash.stamps import find_stamps, read_stamp
from fitguard.schema.crash import Line


@pytest.mark.parametrize(
    ("line", "clock", "seconds", "text"),
    [
        (
            "E0000 00:00:1794849672.643842   23232 ring_alg.cc:291] Aborting",
            "unix",
            1794849672.643842,
            "2026-11-16 17:21:12.643 UTC",
        ),
        (
            "2026-11-16 12:00:00.250000: E x.cc:1] y",
            "local",
            1794830400.25,
            "2026-11-16 12:00:00.250000",
        ),
        (
            "2026-11-16 12:00:00,250 ERROR worker.py -- x",
            "local",
            1794830400.25,
            "2026-11-16 12:00:00,250",
        ),
        ("2026-11-16T12:00:00 x", "local", 1794830400.0, "2026-11-16T12:00:00"),
        (
            "[E1116 12:00:00.500000000 ProcessGroupNCCL.cpp:607] x",
            "day",
            974376000.5,
            "E1116 12:00:00.500000000",
        ),
        ("E1116 12:00:00.500000  812 x.cc:1] y", "day", 974376000.5, "E1116 12:00:00.500000"),
    ],
)
def test_the_times_that_logs_write(line: str, clock: str, seconds: float, text: str) -> None:
    stamp = read_stamp(line)
    assert stamp is not None
    assert (stamp.clock, stamp.text) == (clock, text)
    assert stamp.seconds == pytest.approx(seconds)


@pytest.mark.parametrize(
    "line",
    ["", "step 6 loss 3.3", "2026-99-16 12:00:00: x", "E1399 12:00:00 x", "2026-11-16 25:00:00 x"],
)
def test_what_is_no_time(line: str) -> None:
    assert read_stamp(line) is None


def test_a_line_without_a_time_has_that_of_the_last_one_before_it_by_each_clock() -> None:
    texts = ["2026-11-16 12:00:00.5: a", "E0000 00:00:1794849672.5  1 x.cc:1] b", "c", "d"]
    lines = [Line(number, text, "log") for number, text in enumerate(texts, 1)]
    found = find_stamps(lines, 2)
    assert {clock: stamp.seconds for clock, stamp in found.items()} == {
        "unix": 1794849672.5,
        "local": 1794830400.5,
    }
    assert find_stamps(lines, 0).keys() == {"local"}
    assert find_stamps([], 0) == {}
