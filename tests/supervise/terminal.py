"""A terminal with a guarded run in it, as a user has it before them."""

import fcntl
import os
import select
import struct
import sys
import termios
import time
from pathlib import Path

import programs
from supervise import parents

# The first process of a session gets the terminal by asking for it.
_TAKE = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """Runs a plain script under guard in a terminal of 100 columns.

    Args:
        command: What runs there instead.
        before: Words that start it, such as `nohup`.
        ignored: Signals that are ignored by who starts it.
    """

    def __init__(self, folder: Path, text="", *, command=(), before=(), ignored=()) -> None:
        self.folder = folder
        self._ours, theirs = os.openpty()
        self.resize(40, 100)
        command = command or parents.parent_command(parents.written(folder, text))
        self.process = programs.start(
            [sys.executable, "-c", _TAKE, *before, *command],
            ignored=ignored,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
        )
        os.close(theirs)
        self.shown = b""

    def resize(self, rows: int, columns: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def until(self, text: bytes) -> None:
        """Wait until the screen shows this."""
        deadline = time.monotonic() + programs.LONGEST_SECONDS
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            self._read(0.1)

    def close(self) -> None:
        """As a window is closed, or a line breaks down."""
        os.close(self._ours)

    def ended(self) -> int:
        deadline = time.monotonic() + programs.LONGEST_SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.shown
            self._read(0.05)
        while self._read(0.05):
            pass
        self.close()
        return self.process.returncode

    def _read(self, seconds: float) -> bool:
        if not select.select([self._ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError:
            return False
        self.shown += data
        return bool(data)
