"""The files of autotuning results in the folder of a run: one for each attempt.

They are named after the circumstances and the attempt that wrote them: KEY.2.pb. KEY.0.pb came from
an earlier run.
"""

import contextlib
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fitguard.monitor.regular_files import open_regular, read_regular, replace_file
from fitguard.supervise.autotuned.results import MOST_BYTES, count_results

FROM_EARLIER_RUN = 0


@dataclass(frozen=True)
class WholeFile:
    """One that XLA can read.

    Args:
        attempt: That wrote it.
        count: How many results it holds.
    """

    path: Path
    attempt: int
    count: int
    content: bytes


@dataclass(frozen=True)
class RunResults:
    """Those of a run that were found under certain circumstances.

    Args:
        folder: Of all of them.
        key: Digest of the circumstances.
    """

    folder: Path
    key: str

    def find(self, before: float = math.inf) -> WholeFile | None:
        """The newest that is whole, of attempts before this one."""
        for attempt in sorted(self._list_attempts(), reverse=True):
            if attempt >= before:
                continue
            path = self._name(attempt)
            with contextlib.suppress(OSError):
                content = read_regular(path, MOST_BYTES)
                if count := count_results(content):
                    return WholeFile(path, attempt, count, content)
        return None

    def adopt(self, content: bytes) -> None:
        """Take in what an earlier run has found.

        Raises:
            OSError: where it cannot be written.
        """
        replace_file(self._name(FROM_EARLIER_RUN), content)

    def prepare(self, attempt: int) -> Path:
        """An empty file that XLA writes over; nobody else may read it, whatever the umask.

        Raises:
            OSError: where it cannot be made.
        """
        path = self._name(attempt)
        path.unlink(missing_ok=True)
        os.close(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        return path

    def forget(self, but: Path | None = None) -> None:
        """Remove all, or all but one."""
        for attempt in self._list_attempts():
            if (path := self._name(attempt)) != but:
                with contextlib.suppress(OSError):
                    path.unlink()

    def _name(self, attempt: int) -> Path:
        return self.folder / f"{self.key}.{attempt}.pb"

    def _list_attempts(self) -> Iterator[int]:
        for path in list(self.folder.glob(f"{self.key}.*.pb")):
            number = path.name.split(".")[1]
            if number.isdecimal():
                yield int(number)
