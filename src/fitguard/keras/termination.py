"""SIGTERM, SIGHUP, and what a scheduler sends in their place, to the training process itself.

Inside of a guarded `fit` they are a wish: the training leaves after a snapshot. Outside there is
nothing to save, and the script ends at once, as under plain Python; its `finally` blocks and what
it has registered for its end do run. A handler of the script's own takes the place of all this.
"""

import _thread
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Collection
from importlib.machinery import ExtensionFileLoader
from types import FrameType

from fitguard.monitor.heartbeat import OwnHeartbeat
from fitguard.schema.journal import LEFT_AS_ASKED

_NUMBERS = (int(signal.SIGTERM), int(signal.SIGHUP))
_THREADS_SECONDS = 2.0
_TOGETHER_SECONDS = 1.0
"""Within that, two signals are one: to the group and, passed on by the parent, to this process."""
_AGAIN_SECONDS = 0.05
_LOADING = ExtensionFileLoader.create_module.__code__


class Terminated(SystemExit):
    """The process was told to end, outside of what it could have saved."""

    def __init__(self) -> None:
        super().__init__(LEFT_AS_ASKED)


def leave_when_terminated(heartbeat: OwnHeartbeat, notices: Collection[int] = ()) -> None:
    """Take these signals, unless somebody wants them ignored or has taken them already.

    Args:
        notices: Signals of a scheduler that mean the same.
    """

    ending_since = math.inf

    def on_terminate(number: int, frame: FrameType | None) -> None:
        nonlocal ending_since
        heartbeat.wish("leave")
        if heartbeat.answering:
            return
        if _is_loading(frame):
            # A thread without `threading`, whose locks the script may hold right now.
            _thread.start_new_thread(_send_again, (number,))
            return
        if time.monotonic() - ending_since > _TOGETHER_SECONDS:
            _die_as_usual(numbers, on_terminate)
            os.kill(os.getpid(), number)
        if ending_since == math.inf:
            ending_since = time.monotonic()
            raise Terminated

    numbers = [
        number for number in {*_NUMBERS, *notices} if signal.getsignal(number) is signal.SIG_DFL
    ]
    for number in numbers:
        signal.signal(number, on_terminate)
    _in_forked_processes(numbers, lambda: _leave_to_us(numbers, on_terminate))


def _is_loading(frame: FrameType | None) -> bool:
    """Whether a library is being loaded: the C++ of TensorFlow's aborts where Python raises."""
    while frame is not None and frame.f_code is not _LOADING:
        frame = frame.f_back
    return frame is not None


def _send_again(number: int) -> None:
    time.sleep(_AGAIN_SECONDS)
    os.kill(os.getpid(), number)


def end_without_threads() -> None:
    """Do not wait for the threads of a script that was told to end: a signal would not either."""
    last = threading.Timer(_THREADS_SECONDS, os._exit, (LEFT_AS_ASKED,))
    last.daemon = True
    last.start()


def _leave_to_us(numbers: list[int], handler: Callable[..., None]) -> None:
    """A notice to all processes of a job shall not end the workers that the last steps need."""
    for number in numbers:
        if number not in _NUMBERS and signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_IGN)
    _die_as_usual(numbers, handler)


def _die_as_usual(numbers: list[int], handler: Callable[..., None]) -> None:
    for number in numbers:
        if signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_DFL)


def _in_forked_processes(numbers: list[int], then: Callable[[], None]) -> None:
    """Call it there before any of these signals comes: Python would forget one that came early."""
    here = threading.local()

    def before() -> None:
        here.mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def after() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, here.mask)

    def in_child() -> None:
        then()
        after()

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=in_child)
