"""What the attempts of a run did to the disk: a line for each first time, written at once.

A process that is killed has no other moment to tell the next one.
"""

import contextlib
import errno
import json
import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from fitguard.keras.world.territory import join_home, strip_home
from fitguard.monitor.flushing import append_line, sync_file
from fitguard.monitor.regular_files import open_regular, read_lines

Deed = Literal["folder", "file", "log", "appended", "removed", "renamed"]
_MOST_LINES = 20_000


@dataclass
class Past:
    """What earlier attempts did, each path with the number of the first that did it.

    Args:
        folders: That they made.
        files: That were not there before.
        logs: Those of them that were added to, or that may only be made once.
        appended: Files that were there before, with the length that they had.
        removed: Files and folders that were there before; what was renamed away too.
        renamed: Where it went.
    """

    folders: dict[str, int] = field(default_factory=dict)
    files: dict[str, int] = field(default_factory=dict)
    logs: dict[str, int] = field(default_factory=dict)
    appended: dict[str, int] = field(default_factory=dict)
    removed: dict[str, int] = field(default_factory=dict)
    renamed: dict[str, str] = field(default_factory=dict)

    def take(self, attempt: int, deed: Deed, path: str, more: object) -> None:
        """Add one line."""
        made = {"folder": self.folders, "file": self.files, "log": self.logs}
        if deed in made:
            made[deed].setdefault(path, attempt)
        elif deed == "appended":
            self.appended.setdefault(path, int(str(more)))
        else:
            self.removed.setdefault(path, attempt)
            if deed == "renamed":
                self.renamed.setdefault(path, str(more))


class Ledger:
    """The file, and what it held when this attempt began.

    Args:
        attempt: The number of this one.
        home: Paths below it are told from there: a run may be resumed where it was moved to.
        on_refused: Called where the disk does not take a line.
    """

    def __init__(
        self,
        path: Path,
        attempt: int,
        home: str = "/",
        on_refused: Callable[[OSError], None] = lambda _: None,
    ) -> None:
        self.past = Past()
        self._home = home
        self._on_refused = on_refused
        self._attempt = attempt
        self._lines = 0
        self._said: set[tuple[str, str]] = set()
        self._unwritten: deque[bytes] = deque()
        self._read(path)
        self._file: int | None = None
        with contextlib.suppress(OSError):
            self._file = open_regular(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)

    def _read(self, path: Path) -> None:
        try:
            lines = read_lines(path).splitlines()
        except OSError:
            return
        for line in lines:
            # The last line of a process that was killed may be torn.
            with contextlib.suppress(ValueError, TypeError, RecursionError):
                attempt, deed, name, more = json.loads(line)
                if attempt < self._attempt:
                    more = join_home(more, self._home) if deed == "renamed" else more
                    self.past.take(attempt, deed, join_home(name, self._home), more)

    def add(self, deed: Deed, path: str, more: object = None) -> None:
        """Write it down; what the disk refuses comes with the next one, or with `flush`."""
        if self._file is None or (deed, path) in self._said or self._lines >= _MOST_LINES:
            return
        self._said.add((deed, path))
        self._lines += 1
        told = strip_home(more, self._home) if isinstance(more, str) else more
        line = json.dumps([self._attempt, deed, strip_home(path, self._home), told])
        self._write(self._file)
        # By this thread: it may be killed as soon as it does what it writes down here.
        if self._unwritten or not self._append(self._file, f"{line}\n".encode()):
            self._unwritten.append(f"{line}\n".encode())

    def flush(self) -> None:
        """Try again what the disk refused, and have all of it there."""
        if self._file is not None:
            self._write(self._file)
            with contextlib.suppress(OSError):
                sync_file(self._file)

    def _write(self, file: int) -> None:
        """What was refused. Each line is taken first: the thread that writes snapshots may be here
        as well.

        Without a lock, which a process that is forked meanwhile would never get.
        """
        while True:
            try:
                line = self._unwritten.popleft()
            except IndexError:
                return
            if not self._append(file, line):
                self._unwritten.appendleft(line)
                return

    def _append(self, file: int, line: bytes) -> bool:
        """Whether the disk took it."""
        try:
            if not append_line(file, line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._on_refused(error)
            return False
        return True

    def close(self) -> None:
        """No more will come."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
