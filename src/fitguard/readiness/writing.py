"""Callbacks that could not write: Keras would say so when training begins, or an epoch later."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fitguard.contract.libraries import is_a, is_of_keras, library_of


class _Writer(NamedTuple):
    """How a callback writes.

    Args:
        attribute: Says where.
        is_folder: Whether it writes a folder, or a file; None where both may be.
        makes_folder: Whether it makes the folder of its file.
    """

    attribute: str
    is_folder: bool | None = None
    makes_folder: bool = True


_WRITERS = {
    "ModelCheckpoint": _Writer("filepath"),
    "CSVLogger": _Writer("filename", is_folder=False, makes_folder=False),
    "TensorBoard": _Writer("log_dir", is_folder=True),
    "BackupAndRestore": _Writer("backup_dir", is_folder=True),
}


def find_unwritable(callbacks: Sequence[Any]) -> Iterator[str]:
    """What would fail; then, in a line of its own, what to do."""
    for callback in callbacks:
        for kind, writer in _WRITERS.items():
            target = getattr(callback, writer.attribute, None) if is_a(callback, kind) else None
            # What has another scheme lies on another machine.
            if not target or "://" in str(target):
                continue
            cannot = f"{kind} cannot write to {target}: "
            path = Path(target)
            if why := _why_not(path, writer):
                yield f"{cannot}{why}\nGive it another path, or make that one writable."
            elif not writer.makes_folder and not _is_made(path.parent, callback, callbacks):
                yield (
                    f"{cannot}there is no folder {path.parent}, and it makes none\n"
                    "Make it in your script, before fit: "
                    f"os.makedirs({str(path.parent)!r}, exist_ok=True)"
                )


def _why_not(path: Path, writer: _Writer) -> str:
    """Empty where nothing speaks against it."""
    here = path
    while not os.access(here, os.F_OK):
        here = here.parent
    if not here.is_dir():
        if here != path or writer.is_folder:
            return f"{here} is a file, and no folder"
        return "" if os.access(here, os.W_OK) else f"you may not write to {here.absolute()}"
    if here == path and writer.is_folder is False:
        return f"{here} is a folder, and no file"
    return _why_no_file_in(here)


def _why_no_file_in(folder: Path) -> str:
    """Tries it, with a file that has no name: permissions alone do not tell of /proc and /sys."""
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except PermissionError:
        return f"you may not write to {folder.absolute()}"
    except FileNotFoundError:
        return f"{folder.absolute()} takes no files"
    except OSError as error:
        return f"{folder.absolute()} takes no files ({error.strerror})"
    return ""


def _is_made(folder: Path, logger: Any, callbacks: Sequence[Any]) -> bool:
    """Whether the folder of a `CSVLogger` is there in time.

    TensorBoard makes its own before training begins. In Keras 2 the logger opens its file only
    after the first epoch, when those before it have written. Callbacks of the user's may do
    anything.
    """
    if folder.is_dir() or not all(is_of_keras(type(callback)) for callback in callbacks):
        return True
    makers = [one for one in callbacks if is_a(one, "TensorBoard") and one.write_graph]
    library = library_of(logger)
    if library is not None and library.generation == 2:
        makers += callbacks[: callbacks.index(logger)]
    made = (place for one in makers for place in _list_folders(one))
    return any(place.resolve().is_relative_to(folder.resolve()) for place in made)


def _list_folders(callback: Any) -> Iterator[Path]:
    """Those that a callback makes."""
    for kind, writer in _WRITERS.items():
        if is_a(callback, kind) and writer.makes_folder:
            path = Path(getattr(callback, writer.attribute))
            yield path if writer.is_folder else path.parent
