"""A log of any size, in any wrapping → the lines that matter, cleaned."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from fitguard.crash.cleaning import clean_line
from fitguard.crash.engine import Engine
from fitguard.crash.prefixes import LABEL
from fitguard.crash.sieve import Sieve
from fitguard.crash.source import Log, open_log
from fitguard.crash.windows import windows
from fitguard.schema.crash import Line

__all__ = ["Log", "Reading", "read"]


class Reading(NamedTuple):
    """The lines that matter, and what was read in all.

    Args:
        lines: In the order of the log: those with a literal of the engine in them, their
            neighbours, the first and the last ones. Of a short log, all that are not blank.
        line_count: Of the whole log.
        notes: What could not be read.
    """

    lines: tuple[Line, ...]
    line_count: int
    notes: tuple[str, ...] = ()


def read(log: Log, engine: Engine, name: str | None = None) -> Reading:
    """Read a log as a stream; the memory it takes does not grow with the log.

    Args:
        log: A path, a text, bytes, or a file open for reading.
        engine: Knows the literals that matter.
        name: How evidence names the log; by default the path, or "log".

    Raises:
        UnreadableInput: if it is a file that is missing or cannot be read.
    """
    sieve = Sieve(engine)
    with open_log(log) as source:
        for window in windows(source.stream):
            sieve.take(window)
    sieve.finish()
    name = name or source.name
    lines = [
        Line(piece.number, line.text, name, line.worker)
        for piece in sieve.kept.pieces()
        for line in clean_line(piece.raw)
        if line.text
    ]
    notes = tuple(f"{name}: {note}" for note in source.notes)
    return Reading(tuple(_without_labels(lines)), sieve.line_count, notes)


def _without_labels(lines: Sequence[Line]) -> Sequence[Line]:
    """`0: `, `1: ` in front of most lines are labels of `srun`; elsewhere they are text."""
    found = [LABEL.match(line.text) for line in lines]
    if len(lines) < 4 or 2 * sum(match is not None for match in found) < len(lines):
        return lines
    return [
        msgspec.structs.replace(line, text=line.text[match.end() :], worker=match["worker"])
        if match
        else line
        for line, match in zip(lines, found, strict=True)
    ]
