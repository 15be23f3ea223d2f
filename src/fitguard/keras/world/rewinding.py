"""Before a second attempt: logs are what they were before the run.

A script that adds to a log may ask whether it is there, to write a heading; so they are taken back
at the start, and not only when they are opened. Other files stay: they are overwritten, or read.
"""

import contextlib
import os
from pathlib import Path

from fitguard.keras.world.aside import Aside
from fitguard.keras.world.contents import FILE_BYTES, NotKept
from fitguard.keras.world.ledger import Past
from fitguard.keras.world.manifest import status_of


class Rewinding:
    """Takes them back; and gives them back, where the script ends before any moment is restored."""

    def __init__(self, past: Past, aside: Aside) -> None:
        self._past = past
        self._aside = aside
        self._moved: dict[str, Path] = {}
        self._cut: dict[str, Path] = {}

    def begin(self) -> None:
        """Take back what earlier attempts added."""
        for path in self._past.logs:
            status = status_of(path)
            if status is not None and status.st_size <= FILE_BYTES and path in self._past.files:
                with contextlib.suppress(NotKept, OSError):
                    self._moved[path] = self._aside.move(path)
        for path, length in self._past.appended.items():
            status = status_of(path)
            if status is not None and status.st_size > length:
                with contextlib.suppress(NotKept, OSError):
                    self._cut[path] = self._aside.copy(path, start=length)
                    os.truncate(path, length)

    def give_back(self) -> None:
        """The script has ended, and what was taken back is not there again."""
        for path, place in self._moved.items():
            with contextlib.suppress(OSError):
                if not os.path.lexists(path):
                    os.rename(place, path)
        for path, place in self._cut.items():
            status = status_of(path)
            with contextlib.suppress(OSError):
                if status is not None and status.st_size == self._past.appended[path]:
                    with open(path, "ab") as log:
                        log.write(place.read_bytes())
