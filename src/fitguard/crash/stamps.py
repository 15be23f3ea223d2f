"""When a line was written, where it says so."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from fitguard.schema.crash import Line

Clock = Literal["unix", "local", "day"]
"""What a time is counted by: seconds since 1970; a date and time of that machine; one without the
year. Times by different clocks cannot be compared."""

_TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?"
_UNIX = re.compile(r"[IWEF]\d{4} 00:00:(?P<unix>\d{9,11}\.\d{1,9})\s")
"""Of absl, before it is set up: `E0000 00:00:1794849672.643842   23232 ring_alg.cc:291]`."""
_LOCAL = re.compile(
    rf"\[?(?P<year>\d{{4}})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[ T]{_TIME}",
)
"""Of TensorFlow and of Python's logging: `2026-11-16 12:00:00.123456: E …`, `… 12:00:00,123`."""
_DAY = re.compile(rf"\[?[IWEF](?P<month>\d\d)(?P<day>\d\d) {_TIME}\s")
"""Of glog: `E1116 12:00:00.123456  812 file.cc:12]`."""
_ANY_YEAR = 2000
"""One that has a 29th of February."""


class Stamp(NamedTuple):
    """A time.

    Args:
        text: As the log writes it.
    """

    clock: Clock
    seconds: float
    text: str


def read_stamp(text: str) -> Stamp | None:
    """The time at the beginning of a line."""
    if found := _UNIX.match(text):
        seconds = float(found["unix"])
        written = datetime.fromtimestamp(seconds, UTC).isoformat(" ", "milliseconds")
        return Stamp("unix", seconds, written.replace("+00:00", " UTC"))
    for clock, pattern in (("local", _LOCAL), ("day", _DAY)):
        if found := pattern.match(text):
            return _count_seconds("local" if clock == "local" else "day", found)
    return None


def _count_seconds(clock: Clock, found: re.Match[str]) -> Stamp | None:
    parts = found.groupdict()
    names = ("month", "day", "hour", "minute", "second")
    month, day, hour, minute, second = (int(parts[name]) for name in names)
    year = int(parts.get("year") or _ANY_YEAR)
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:  # 2026-99-16 is no date
        return None
    fraction = float(f"0.{parts['part'] or 0}")
    written = found[0].strip().lstrip("[")
    return Stamp(clock, moment.timestamp() + fraction, written)


def find_stamps(lines: Sequence[Line], index: int, start: int = 0) -> dict[Clock, Stamp]:
    """By each clock, the time of a line, or of the last one before it that has a time.

    Args:
        start: Lines before this one do not count.
    """
    found: dict[Clock, Stamp] = {}
    for line in reversed(lines[start : index + 1]):
        stamp = read_stamp(line.text)
        if stamp is not None:
            found.setdefault(stamp.clock, stamp)
        if len(found) == 3:
            break
    return found
