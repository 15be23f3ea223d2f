"""Errors of the script, printed as plain Python would print them."""

import sys
from pathlib import Path
from types import TracebackType

_OURS = str(Path(__file__).parents[1])
"""The folder of fitguard."""
_MAIN = str(Path(__file__).with_name("bootstrap.py"))
"""Below it is the script: what it does itself says nothing."""


def show(error: BaseException, *, whole: bool = False) -> None:
    """Print it through the script's own hook, without the frames of fitguard, or with them."""
    for one in _chain(error):
        trace = one.__traceback__
        one.__traceback__ = _below_main(trace) if whole else without_ours(trace)
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.excepthook(type(error), error, error.__traceback__)


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without our frames; where the error is ours, with them."""
    first = trace = _below_main(trace)
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    if entries and _file(entries[-1]).startswith(_OURS):
        return first
    kept: TracebackType | None = None
    for entry in reversed(entries):
        if not _file(entry).startswith(_OURS):
            kept = TracebackType(kept, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return kept


def _below_main(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and _file(trace) == _MAIN:
        trace = trace.tb_next
    return trace


def _file(entry: TracebackType) -> str:
    return entry.tb_frame.f_code.co_filename


def _chain(error: BaseException) -> list[BaseException]:
    """The error, and those that it came from."""
    found: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is not None and not any(one is other for other in found):
            found.append(one)
            waiting += [one.__cause__, one.__context__]
    return found
