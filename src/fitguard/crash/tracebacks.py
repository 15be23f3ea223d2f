"""The Python error that ended the program, out of the traceback in its log."""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

from fitguard.schema.crash import Frame, Line, Traceback
from fitguard.schema.finding import Evidence

_BEGINS = re.compile(r"Traceback \(most recent call last\)")
_IGNORED = re.compile(r"Exception ignored (?:in|on|while)\b")
"""Python goes on after such a traceback."""
_FRAME = re.compile(
    r'^\s*File "(?P<file>[^"]{1,500})", line (?P<number>\d{1,9})'
    r"|^(?P<cell>Cell In ?\[\d{1,9}\]), line (?P<cell_number>\d{1,9})"
    r"|^File (?P<path>[^\s:\"][^:\"]{0,500}\.py):(?P<path_number>\d{1,9})"
)
_ERROR = re.compile(r"^(?:[A-Za-z_]\w{0,80}\.){0,12}(?P<type>[A-Z]\w{1,80})(?:: (?P<message>.*))?$")
_RUN = re.compile(r"fitguard (?:report|explain) (?P<run>[\w.-]{1,120})\s*$")
_INSTALLED = re.compile(
    r"site-packages|dist-packages|[/\\]lib(?:64)?[/\\]python\d|[/\\]Lib[/\\]\w+\.py$|"
    r"^<(?!ipython-input|stdin|string)|[/\\]fitguard[/\\](?:keras|notebook|supervise|cli)[/\\]",
)
_LAST = 20
"""So many tracebacks are looked at, from the end: a hostile log has very many."""
_MOST_LINES = 400
"""A traceback that is longer is no traceback, or recursion without end."""
_LINES_OF_MESSAGE = 20


def read_traceback(lines: Sequence[Line]) -> Traceback | None:
    """The last traceback of the log that Python did not ignore."""
    starts = [n for n, line in enumerate(lines) if _BEGINS.search(line.text)]
    for start in reversed(starts[-_LAST:]):
        ignored = start > 0 and _IGNORED.match(lines[start - 1].text)
        found = None if ignored else _read_from(lines[start + 1 : start + _MOST_LINES])
        if found is not None:
            return found
    return None


def _read_from(lines: Sequence[Line]) -> Traceback | None:
    frames: list[Frame] = []
    for number, line in enumerate(lines):
        if frame := _frame(line):
            frames.append(frame)
        elif frames and (error := _ERROR.match(line.text)):
            return Traceback(
                type=error["type"],
                message=error["message"] or "",
                evidence=Evidence(line.text.strip(), line.source, line.number),
                frames=tuple(frames),
                run=_find_run_id(lines[number : number + _LINES_OF_MESSAGE]),
            )
    return None


def _frame(line: Line) -> Frame | None:
    found = _FRAME.match(line.text)
    if found is None:
        return None
    file = found["file"] or found["cell"] or found["path"]
    number = found["number"] or found["cell_number"] or found["path_number"]
    evidence = Evidence(line.text.strip(), line.source, line.number)
    return Frame(file, int(number), evidence, own=_INSTALLED.search(file) is None)


def _find_run_id(lines: Sequence[Line]) -> str | None:
    """The guarded run that `TrainingDied` tells of, in one of the lines of its message."""
    if "TrainingDied" not in lines[0].text:
        return None
    message = takewhile(lambda line: not _BEGINS.search(line.text), lines)
    return next(_runs(message), None)


def _runs(lines: Iterator[Line]) -> Iterator[str]:
    for line in lines:
        if found := _RUN.search(line.text):
            yield found["run"]
