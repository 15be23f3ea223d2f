"""The logs in a folder, or of a pattern."""

import glob
import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from fitguard.schema.exit_codes import UnreadableInput

_ENDINGS = (".log", ".out", ".err")
_PACKED = (".gz", ".zst")
_NAMES = ("stdout", "stderr")
MOST = 1024
"""More than these are not the logs of one training."""
_DEEPEST = 3
_MOST_LOOKED_AT = 20_000
"""Of all files; a folder with more than these is no folder of logs."""


def is_folder(log: object) -> bool:
    """Whether it is the path of a folder; a long text is none."""
    if not isinstance(log, str | Path) or "\n" in str(log):
        return False
    try:
        return Path(log).is_dir()
    except (OSError, ValueError):  # too long, or with a zero byte
        return False


def list_logs(folder: Path) -> list[Path]:
    """The logs in a folder and below it, in the order of their names: worker2 before worker10.

    Texts (.txt) count where there are no other logs.

    Raises:
        UnreadableInput: if there are none, or far too many.
    """
    files = list(islice(_walk(folder), _MOST_LOOKED_AT))
    found = [file for file in files if _is_log(file, _ENDINGS)]
    found = found or [file for file in files if _is_log(file, (".txt",))]
    if not found:
        raise UnreadableInput(
            f"Received {folder}, which is a folder without logs. Expected files that end with "
            f"{', '.join(_ENDINGS)} or .txt, or a log"
        )
    if len(found) > MOST or len(files) == _MOST_LOOKED_AT:
        raise UnreadableInput(
            f"Received {folder}, a folder with more than {min(len(found), MOST)} logs. Expected "
            "the logs of one training"
        )
    return sorted(found, key=_order)


def _walk(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        if len(Path(place).relative_to(folder).parts) >= _DEEPEST:
            folders.clear()
        yield from (Path(place) / name for name in names)


def expand_pattern(text: str) -> list[Path]:
    """The files of `logs/worker*.log`, where the shell has not looked for them."""
    if not glob.has_magic(text):
        return []
    anchor = Path(Path(text).anchor)
    try:
        found = [
            file for file in anchor.glob(str(Path(text).relative_to(anchor))) if file.is_file()
        ]
    except (OSError, ValueError):  # `**x` is no pattern
        return []
    return sorted(found, key=_order)


def _is_log(file: Path, endings: tuple[str, ...]) -> bool:
    name = file.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return (name.endswith(endings) or name in _NAMES) and file.is_file()


def _order(file: Path) -> list[tuple[int, int | str]]:
    """By parts of text and number; a number comes before a text."""
    parts = re.split(r"(\d{1,18})", str(file))
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]
