"""Callbacks of Keras that need more than their attributes: files, writers, times, backups."""

import contextlib
import csv
import io
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fitguard.contract.callbacks import (
    BOARD_COUNTS,
    move_board,
    progress_of,
    restoring_nothing,
    set_progress,
)
from fitguard.contract.libraries import is_a, is_of_keras
from fitguard.state.values import decode, encode


class Special(NamedTuple):
    """How one kind of callback is treated.

    Args:
        only: Attributes that are stored; None for all that can be.
        skipped: Attributes that are not.
        read: What else is stored, as JSON.
        write: Puts that back, after the attributes; a sentence where it cannot.
    """

    only: frozenset[str] | None = None
    skipped: frozenset[str] = frozenset()
    read: Callable[[Any], dict[str, Any]] = lambda _: {}
    write: Callable[[Any, dict[str, Any]], str] = lambda *_: ""


def special(callback: Any) -> Special:
    """How a callback is treated; also one whose class the user derived from a known one."""
    names = (base.__name__ for base in type(callback).__mro__ if is_of_keras(base))
    return next((_SPECIAL[name] for name in names if name in _SPECIAL), Special())


@contextlib.contextmanager
def standing_back(callbacks: Sequence[Any]) -> Iterator[None]:
    """Around `on_train_begin` of a fit that goes on from a snapshot.

    A CSVLogger would empty its file, and BackupAndRestore would bring back its own, older state and
    another epoch: inside, the first appends, and the second restores nothing.
    """
    with contextlib.ExitStack() as stack:
        for callback in callbacks:
            if is_a(callback, "CSVLogger"):
                stack.callback(setattr, callback, "append", callback.append)
                callback.append = True
        if any(is_a(callback, "BackupAndRestore") for callback in callbacks):
            stack.enter_context(restoring_nothing())
        yield


def _read_csv(callback: Any) -> dict[str, Any]:
    """The file as it is: after a restart, rows that came later are to be gone."""
    file, path = getattr(callback, "csv_file", None), Path(callback.filename)
    try:
        if file is not None and not getattr(file, "closed", False):
            file.flush()
        size = path.stat().st_size if path.exists() else 0
        content = path.read_bytes() if 0 < size <= _MOST_ROWS_BYTES else b""
    except OSError:
        return {}
    if callback.writer is None and callback.keys is None and not callback.append:
        # Opened to be overwritten: what Keras 2 does at the first row only.
        size, content = 0, b""
    going = callback.writer is not None
    return {"size": size, "content": encode(content), "header": going}


def _write_csv(callback: Any, stored: dict[str, Any]) -> str:
    """Make the file as it was, and go on behind its rows."""
    if not stored:
        return ""
    path = Path(callback.filename)
    present: Any = getattr(callback, "csv_file", None)
    is_open = present is not None and not getattr(present, "closed", False)
    try:
        if is_open:
            present.close()
        complete = _restore_length(path, stored["size"], decode(stored["content"]))
        if is_open:
            callback.csv_file = _open_like(present, callback.filename)
            callback.writer = _csv_writer(callback) if stored["header"] else None
    except OSError as error:
        return f"CSVLogger could not go on with {path.name}: {error}."
    return "" if complete else f"{path.name} of CSVLogger is shorter than it was."


def _restore_length(path: Path, size: int, content: bytes) -> bool:
    """Bring a file back to its old length; whether all of it is there."""
    present = path.stat().st_size if path.exists() else 0
    if present > size and len(content) < size:
        os.truncate(path, size)
    elif len(content) == size and (present != size or (size and path.read_bytes() != content)):
        path.write_bytes(content)
        present = size
    return present >= size


def _open_like(file: Any, name: str) -> Any:
    """Keras 2 opens files with TensorFlow's class, Keras 3 local ones with Python's."""
    return Path(name).open("a") if isinstance(file, io.IOBase) else type(file)(name, "a")


def _csv_writer(callback: Any) -> Any:
    class Dialect(csv.excel):
        delimiter = callback.sep

    return csv.DictWriter(callback.csv_file, ["epoch", *(callback.keys or [])], dialect=Dialect)


_MOST_ROWS_BYTES = 4 << 20
"""A longer file is not copied: rows that came later are cut off, and no row is brought back."""


def _read_progress(callback: Any) -> dict[str, Any]:
    bar, now = getattr(callback, "progbar", None), time.time()
    if bar is None:
        return {}
    times, counts = progress_of(bar)
    return {"ago": {name: now - then for name, then in times.items()}, "counts": encode(counts)}


def _write_progress(callback: Any, stored: dict[str, Any]) -> str:
    bar, now = getattr(callback, "progbar", None), time.time()
    if bar is not None and stored:
        times = {name: now - ago for name, ago in stored["ago"].items()}
        set_progress(bar, times, decode(stored["counts"]))
    return ""


def _read_board(callback: Any) -> dict[str, Any]:
    return {"log_dir": str(callback.log_dir)}


def _write_board(callback: Any, stored: dict[str, Any]) -> str:
    """Go on in the folder of before: scripts often put the time of their start into its name."""
    if stored["log_dir"] != str(callback.log_dir):
        move_board(callback, stored["log_dir"])
    return ""


_SPECIAL = {
    "CSVLogger": Special(None, frozenset(("writer", "csv_file")), _read_csv, _write_csv),
    "ProgbarLogger": Special(None, frozenset(("progbar",)), _read_progress, _write_progress),
    "TensorBoard": Special(BOARD_COUNTS, frozenset(), _read_board, _write_board),
}
