"""A terminal with a guarded run in it, as a user has it before them."""

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

from supervise import guarded

# The first process of a session gets the terminal by asking for it.
_TAKE = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""


class Terminal:
    """Runs a plain script under guard in a terminal of 100 columns."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self._ours, theirs = os.openpty()
        self.resize(40, 100)
        script = guarded.written(folder, text)
        self.process = subprocess.Popen(
            [sys.executable, "-c", _TAKE, guarded.__file__, "{}", str(script)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            start_new_session=True,
        )
        os.close(theirs)
        self.shown = b""

    def resize(self, rows: int, columns: int) -> None:
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, size)

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def until(self, text: bytes, seconds: float = 20.0) -> None:
        """Wait until the screen shows this."""
        deadline = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < deadline, self.shown
            self._read(0.1)

    def ended(self, seconds: float = 30.0) -> int:
        deadline = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < deadline, self.shown
            self._read(0.05)
        while self._read(0.05):
            pass
        os.close(self._ours)
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
