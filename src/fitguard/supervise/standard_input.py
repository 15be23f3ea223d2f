"""What attempts read from standard input, for those that come after them.

A file is put back to where it was. What comes through a pipe or from a terminal comes only once:
the child keeps what it read in a file without a name, which ends with this process.
"""

import contextlib
import fcntl
import os
import stat
import tempfile
import threading

from fitguard.monitor.kept_input import VARIABLE

_STDIN = 0
_LEAST_NUMBER = 64
"""Lower ones may be files that the user gave to the script, as in `3< file`."""


class StandardInput:
    """Ours, which is that of each training.

    Attributes:
        kept: Number of the file in which a child keeps what it read, and the number that the child
            knows it by; None where nothing needs to be kept.
    """

    def __init__(self) -> None:
        self._offset: int | None = None
        self.kept: tuple[int, int] | None = None
        # A notebook has an input of its own.
        if threading.current_thread() is not threading.main_thread():
            return
        with contextlib.suppress(OSError):
            mode = os.fstat(_STDIN).st_mode
            if stat.S_ISREG(mode):
                self._offset = os.lseek(_STDIN, 0, os.SEEK_CUR)
            elif stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(_STDIN):
                self.kept = _open_without_name()

    def rewind(self) -> None:
        """For the next attempt."""
        if self._offset is not None:
            with contextlib.suppress(OSError):
                os.lseek(_STDIN, self._offset, os.SEEK_SET)

    @property
    def environment(self) -> dict[str, str]:
        """What tells the child; it takes it away before the script could see it."""
        return {} if self.kept is None else {VARIABLE: str(self.kept[1])}

    def close(self) -> None:
        """Forget what was read."""
        for file in self.kept or ():
            os.close(file)


def _open_without_name() -> tuple[int, int]:
    """In memory, where the system has that: what people type at a terminal may be secret."""
    if hasattr(os, "memfd_create"):
        file = os.memfd_create("fitguard-stdin")
    else:
        with tempfile.TemporaryFile() as opened:
            file = os.dup(opened.fileno())
    # The second number is held only so that nothing else has it when a child is started.
    return file, fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _LEAST_NUMBER)
