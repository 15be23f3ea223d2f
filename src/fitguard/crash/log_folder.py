"""The logs in a folder, or of a pattern."""

import glob
import re
from pathlib import Path

from fitguard.schema.exit_codes import UnreadableInput

_ENDINGS = (".log", ".txt", ".out", ".err")
_PACKED = (".gz", ".zst")
_NAMES = ("stdout", "stderr")
MOST = 1024
"""More than these are not the logs of one training."""


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

    Raises:
        UnreadableInput: if there are none, or far too many.
    """
    found = [file for file in sorted(folder.rglob("*"), key=_order) if _is_log(file)]
    if not found:
        raise UnreadableInput(
            f"Received {folder}, which is a folder without logs. Expected files that end with "
            f"{', '.join(_ENDINGS)}, or a log"
        )
    if len(found) > MOST:
        raise UnreadableInput(
            f"Received {folder}, a folder with {len(found)} logs. Expected those of one training, "
            f"{MOST} at most"
        )
    return found


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


def _is_log(file: Path) -> bool:
    name = file.name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return (name.endswith(_ENDINGS) or name in _NAMES) and file.is_file()


def _order(file: Path) -> list[tuple[int, int | str]]:
    """By parts of text and number; a number comes before a text."""
    parts = re.split(r"(\d{1,18})", str(file))
    return [(0, int(part)) if part.isdecimal() else (1, part) for part in parts]
