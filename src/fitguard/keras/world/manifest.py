"""The files of a moment, as the document of a snapshot holds them."""

import os
import stat
from typing import Any, Literal, NamedTuple

from fitguard.keras.world.territory import join_home, strip_home

Document = dict[str, Any]
Kind = Literal["", "held", "given"]
"""`held`: a library written in C held it open, and more may have been on its way. `given`: written
by the top of the script, before its first `fit`, and not since: the script does that again."""


class Entry(NamedTuple):
    """One file.

    Args:
        digest: Of its content; empty where that is not kept.
        kind: See `Kind`.
    """

    size: int
    digest: str
    mtime_ns: int
    mode: int
    kind: Kind = ""


class Manifest(NamedTuple):
    """What the run had done so far, by absolute path.

    Args:
        files: That it had written.
        folders: That it had made.
        removed: What was there before the run, and is not any more.
    """

    files: dict[str, Entry]
    folders: set[str]
    removed: set[str]

    def document(self, home: str) -> Document:
        """Paths below `home` are told from there: a run may be resumed where it was moved to."""
        return {
            "files": {strip_home(path, home): list(entry) for path, entry in self.files.items()},
            "folders": sorted(strip_home(path, home) for path in self.folders),
            "removed": sorted(strip_home(path, home) for path in self.removed),
        }

    @classmethod
    def of(cls, document: Document, home: str) -> "Manifest":
        """Read it back.

        Raises:
            ValueError, KeyError, TypeError: where it is none.
        """

        return cls(
            {join_home(path, home): Entry(*entry) for path, entry in document["files"].items()},
            {join_home(path, home) for path in document["folders"]},
            {join_home(path, home) for path in document["removed"]},
        )


def status_of(path: str) -> os.stat_result | None:
    """Of a regular file; None for all else. A link is not followed."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None
