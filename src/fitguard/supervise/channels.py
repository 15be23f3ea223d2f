"""What the training gets as stdout and stderr: terminals where ours are, else pipes.

Where both of ours are one file (a terminal, or `2>&1`), both of the training's are one too: only so
do their lines keep their order.
"""

import contextlib
import fcntl
import os
import termios
import tty
from dataclasses import dataclass

_STDOUT, _STDERR = 1, 2
_WINDOW = bytes(8)


@dataclass(frozen=True)
class Channel:
    """One way from the training to the user.

    Args:
        feeds: The file numbers of the child that lead into it.
        theirs: The end that the child writes to.
        ours: The end that we read.
        target: Where the bytes go.
        terminal: Whether it is one.
    """

    feeds: tuple[int, ...]
    theirs: int
    ours: int
    target: int
    terminal: bool

    def copy_window_size(self) -> None:
        """Tell the child's terminal how large the user's is."""
        if self.terminal:
            with contextlib.suppress(OSError):
                size = fcntl.ioctl(self.target, termios.TIOCGWINSZ, _WINDOW)
                fcntl.ioctl(self.ours, termios.TIOCSWINSZ, size)


def open_channels(stdout: int = _STDOUT, stderr: int = _STDERR) -> list[Channel]:
    """One channel for both streams, or one for each."""
    if _is_one_file(stdout, stderr):
        return [_open_channel((_STDOUT, _STDERR), stdout)]
    return [_open_channel((_STDOUT,), stdout), _open_channel((_STDERR,), stderr)]


def _open_channel(feeds: tuple[int, ...], target: int) -> Channel:
    terminal = _is_terminal(target)
    if terminal:
        ours, theirs = os.openpty()
        # The user's own terminal turns line feeds into new lines; doing it twice would be wrong.
        tty.setraw(theirs)
    else:
        ours, theirs = os.pipe()
    channel = Channel(feeds, theirs, ours, target, terminal)
    channel.copy_window_size()
    return channel


def _is_terminal(file: int) -> bool:
    with contextlib.suppress(OSError):
        return os.isatty(file)
    return False


def _is_one_file(stdout: int, stderr: int) -> bool:
    try:
        one, other = os.fstat(stdout), os.fstat(stderr)
    except OSError:
        return False
    return (one.st_dev, one.st_ino, one.st_rdev) == (other.st_dev, other.st_ino, other.st_rdev)
