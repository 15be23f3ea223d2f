"""What Linux offers and Python does not."""

import contextlib
import ctypes
import os
from collections.abc import Iterable

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIGNAL_SET_BYTES = 128


def end_with_parent(number: int) -> None:
    """Get this signal when the *thread* that started this process ends, in whatever way.

    Who died before this call is not noticed: compare `os.getppid()` afterwards.
    """
    _set_for_process(_PR_SET_PDEATHSIG, number)


def adopt_orphans(*, adopts: bool) -> bool:
    """Get descendants whose own parent has died as children, or no longer; whether that worked."""
    return _set_for_process(_PR_SET_CHILD_SUBREAPER, int(adopts))


def open_signal_file(numbers: Iterable[int]) -> int:
    """A file that can be read while one of these signals, which are blocked, is pending.

    Raises:
        OSError: where the kernel gives none.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    wanted = ctypes.create_string_buffer(_SIGNAL_SET_BYTES)
    libc.sigemptyset(wanted)
    for number in numbers:
        libc.sigaddset(wanted, number)
    file = int(libc.signalfd(-1, wanted, os.O_CLOEXEC | os.O_NONBLOCK))
    if file < 0:
        raise OSError(ctypes.get_errno(), "signals cannot be waited for")
    return file


def _set_for_process(what: int, value: int) -> bool:
    with contextlib.suppress(OSError, AttributeError):
        return bool(ctypes.CDLL(None).prctl(what, value, 0, 0, 0) == 0)
    return False
