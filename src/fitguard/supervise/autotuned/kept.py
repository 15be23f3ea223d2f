"""Autotuning results for later runs, in the user's cache folder."""

import contextlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fitguard.memory.measuring.store import cache_folder
from fitguard.monitor.regular_files import FOLDER_MODE, read_regular, replace_file
from fitguard.supervise.autotuned.results import MOST_BYTES

ALL_BYTES = 256 << 20
LONGEST_SECONDS = 90 * 86400.0
"""After the last run that has used it, a file is removed."""


@dataclass(frozen=True)
class KeptResults:
    """Those of one kind of training on one kind of machine.

    Args:
        folder: Where they are kept; it need not exist.
        key: Digest of the circumstances.
    """

    folder: Path
    key: str

    @classmethod
    def here(cls, environment: Mapping[str, str], key: str) -> "KeptResults":
        """In the cache folder of this user."""
        return cls(cache_folder(environment).with_name("autotuned"), key)

    @property
    def _file(self) -> Path:
        return self.folder / f"{self.key}.pb"

    def find(self) -> bytes:
        """What is there; empty where there is nothing."""
        with contextlib.suppress(OSError):
            return read_regular(self._file, MOST_BYTES)
        return b""

    def keep(self, content: bytes) -> None:
        """Keep them in place of older ones; a cache that cannot be written is no loss."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(FOLDER_MODE, parents=True, exist_ok=True)
            replace_file(self._file, content)
            self._remove_old()

    def forget(self) -> None:
        with contextlib.suppress(OSError):
            self._file.unlink()

    def _remove_old(self) -> None:
        """What was not used for long, and the oldest where there is too much."""
        newest_first = sorted(
            ((file.stat(), file) for file in self.folder.glob("*.pb")),
            key=lambda pair: -pair[0].st_mtime,
        )
        taken = 0
        for status, file in newest_first:
            taken += status.st_size
            if taken > ALL_BYTES or time.time() - status.st_mtime > LONGEST_SECONDS:
                file.unlink()
