"""What the user gives as a log → a stream of bytes in UTF-8, unpacked, with a name."""

import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from fitguard.crash.compression import unpack_stream
from fitguard.crash.encoding import in_utf8
from fitguard.crash.streams import OpenFile, Stream
from fitguard.schema.exit_codes import UnreadableInput

# `isinstance` knows open files only by the second of their names.
Log = str | bytes | Path | BinaryIO | io.IOBase

TEXT_NAME = "log"
ONE_MORE_READ = 1 << 20
A_PATH = re.compile(r"\S*[/\\]\S*|.*\.(log|txt|out|err|gz|zst|json|ipynb)")


class Source(NamedTuple):
    """A log that is open.

    Args:
        notes: Of what could not be read; it grows while the stream is read.
    """

    name: str
    stream: Stream
    notes: list[str]


@contextmanager
def open_log(log: Log) -> Iterator[Source]:
    """Open a log; what the user has opened stays open.

    Raises:
        UnreadableInput: if it is a file that is missing or cannot be read.
    """
    if isinstance(log, Path) or (isinstance(log, str) and _names_a_file(log)):
        with _open(Path(log)) as file:
            yield _source(str(log), file)
    elif isinstance(log, str):
        yield _source(TEXT_NAME, io.BytesIO(log.encode("utf-8", "replace")))
    elif isinstance(log, bytes):
        yield _source(TEXT_NAME, io.BytesIO(log))
    else:
        name = getattr(log, "name", None)
        known = name.strip("<>") if isinstance(name, str) else ""
        yield _source(known or TEXT_NAME, _binary(log))


def _source(name: str, file: BinaryIO) -> Source:
    notes: list[str] = []
    stream = OpenFile(file, notes, _limit(file))
    return Source(name, in_utf8(unpack_stream(stream, notes)), notes)


def _names_a_file(text: str) -> bool:
    """Whether a file is meant, be it there or not, and no text."""
    if "\n" in text or not text.strip():
        return False
    try:
        Path(text).stat()
    except (OSError, ValueError):
        return len(text) < 4096 and A_PATH.fullmatch(text) is not None
    return True


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb", buffering=0)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnreadableInput(f"{path}: {reason}. Expected a log file, or - for stdin") from error


def _binary(log: BinaryIO | io.IOBase) -> BinaryIO:
    """The bytes below a file that was opened as text."""
    if isinstance(log, io.StringIO):
        return io.BytesIO(log.read().encode("utf-8", "replace"))
    return cast("BinaryIO", getattr(log, "buffer", log))


def _limit(file: BinaryIO) -> int | None:
    """Of a plain file: what it holds now, and a little of what comes meanwhile."""
    if not isinstance(file, io.FileIO | io.BufferedReader):
        return None
    try:
        state = os.fstat(file.fileno())
    except (OSError, ValueError):
        return None
    return state.st_size + ONE_MORE_READ if stat.S_ISREG(state.st_mode) else None
