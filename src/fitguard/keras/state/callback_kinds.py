"""Callbacks of Keras that need more than their attributes: files, writers, times, backups."""

import contextlib
import csv
import importlib
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fitguard.inputs.models.library import ROOTS, root
from fitguard.keras.state.plain import decode, encode


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
    names = (base.__name__ for base in type(callback).__mro__ if root(base) in ROOTS)
    return next((_SPECIAL[name] for name in names if name in _SPECIAL), Special())


@contextlib.contextmanager
def standing_back(callbacks: Sequence[Any]) -> Iterator[None]:
    """Around `on_train_begin` of a fit that goes on from a snapshot.

    A CSVLogger would empty its file, and BackupAndRestore would bring back its own, older state and
    another epoch: inside, the first appends, and the second restores nothing.
    """
    with contextlib.ExitStack() as stack:
        for callback in callbacks:
            kinds = {base.__name__ for base in type(callback).__mro__ if root(base) in ROOTS}
            if "CSVLogger" in kinds:
                stack.enter_context(_attribute(callback, "append", True))
            if "BackupAndRestore" in kinds and hasattr(callback, "_load_model"):
                stack.enter_context(_attribute(callback, "_load_model", lambda: None))
        states: Any = sys.modules.get("tf_keras.src.distribute.worker_training_state")
        if states is not None:
            keep = _attribute(states.WorkerTrainingState, "restore", lambda _: None)
            stack.enter_context(keep)
        yield


@contextlib.contextmanager
def _attribute(thing: Any, name: str, value: Any) -> Iterator[None]:
    """Inside, an attribute has another value; one that only the class had is the class's again."""
    missing = object()
    before = vars(thing).get(name, missing)
    setattr(thing, name, value)
    try:
        yield
    finally:
        if before is missing:
            delattr(thing, name)
        else:
            setattr(thing, name, before)


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
        # Opened to be overwritten: what tf_keras does at the first row only.
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
        complete = _cut(path, stored["size"], decode(stored["content"]))
        if is_open:
            callback.csv_file = _opened(callback)
            callback.writer = _csv_writer(callback) if stored["header"] else None
    except OSError as error:
        return f"CSVLogger could not go on with {path.name}: {error}."
    return "" if complete else f"{path.name} of CSVLogger is shorter than it was."


def _cut(path: Path, size: int, content: bytes) -> bool:
    """Bring a file back to its old length; whether all of it is there."""
    present = path.stat().st_size if path.exists() else 0
    if present > size and len(content) < size:
        os.truncate(path, size)
    elif len(content) == size and (present != size or (size and path.read_bytes() != content)):
        path.write_bytes(content)
        present = size
    return present >= size


def _opened(callback: Any) -> Any:
    three = any(root(base) == "keras" for base in type(callback).__mro__)
    if three:
        return importlib.import_module("keras.src.utils.file_utils").File(callback.filename, "a")
    return importlib.import_module("tensorflow").io.gfile.GFile(callback.filename, "a")


def _csv_writer(callback: Any) -> Any:
    class Dialect(csv.excel):
        delimiter = callback.sep

    return csv.DictWriter(callback.csv_file, ["epoch", *(callback.keys or [])], dialect=Dialect)


_MOST_ROWS_BYTES = 4 << 20
"""A longer file is not copied: rows that came later are cut off, and no row is brought back."""
_TIMES = ("_start", "_time_at_epoch_start", "_time_at_epoch_end", "_time_after_first_step")
_COUNTS = ("target", "_seen_so_far", "_values", "_values_order")


def _read_progress(callback: Any) -> dict[str, Any]:
    bar, now = getattr(callback, "progbar", None), time.time()
    if bar is None:
        return {}
    present = vars(bar)
    return {
        "ago": {name: now - present[name] for name in _TIMES if present.get(name)},
        "counts": encode({name: present[name] for name in _COUNTS if name in present}),
    }


def _write_progress(callback: Any, stored: dict[str, Any]) -> str:
    bar, now = getattr(callback, "progbar", None), time.time()
    if bar is not None and stored:
        vars(bar).update(decode(stored["counts"]))
        vars(bar).update({name: now - ago for name, ago in stored["ago"].items()})
    return ""


def _read_board(callback: Any) -> dict[str, Any]:
    return {"log_dir": str(callback.log_dir)}


def _write_board(callback: Any, stored: dict[str, Any]) -> str:
    """Go on in the folder of before: scripts often put the time of their start into its name."""
    if stored["log_dir"] == str(callback.log_dir):
        return ""
    pushed = bool(callback._prev_summary_state)
    if pushed:
        callback._pop_writer()
    callback._close_writers()
    now, callback.log_dir = str(callback.log_dir), stored["log_dir"]
    for name in ("_log_write_dir", "_train_dir", "_val_dir"):
        setattr(callback, name, str(getattr(callback, name)).replace(now, callback.log_dir, 1))
    callback._writers.clear()
    if pushed:
        # A variable of the model in tf_keras, a number in Keras 3.
        step = getattr(callback, "_train_step", callback._global_train_batch)
        callback._push_writer(callback._train_writer, step)
    return ""


_BOARD_COUNTS = (
    "_global_train_batch",
    "_global_test_batch",
    "_previous_epoch_iterations",
    "_train_accumulated_time",
)
_SPECIAL = {
    "CSVLogger": Special(None, frozenset(("writer", "csv_file")), _read_csv, _write_csv),
    "ProgbarLogger": Special(None, frozenset(("progbar",)), _read_progress, _write_progress),
    "TensorBoard": Special(frozenset(_BOARD_COUNTS), frozenset(), _read_board, _write_board),
}
