"""SIGTERM and SIGHUP to the training process itself.

Inside of a guarded `fit` they are a wish: the training leaves after a snapshot. Outside there is
nothing to save, and the script ends at once, as under plain Python; its `finally` blocks and what
it has registered for its end do run. A handler of the script's own takes the place of all this.
"""

import math
import os
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from fitguard.monitor.heartbeat import OwnHeartbeat
from fitguard.schema.journal import LEFT_AS_ASKED

_NUMBERS = (signal.SIGTERM, signal.SIGHUP)
_THREADS_SECONDS = 2.0
_TOGETHER_SECONDS = 1.0
"""Within that, two signals are one: to the group and, passed on by the parent, to this process."""


class Terminated(SystemExit):
    """The process was told to end, outside of what it could have saved."""

    def __init__(self) -> None:
        super().__init__(LEFT_AS_ASKED)


def leave_when_terminated(heartbeat: OwnHeartbeat) -> None:
    """Take these signals, unless somebody wants them ignored or has taken them already."""

    ending_since = math.inf

    def on_terminate(number: int, _frame: FrameType | None) -> None:
        nonlocal ending_since
        heartbeat.wish("leave")
        if heartbeat.answering:
            return
        if time.monotonic() - ending_since > _TOGETHER_SECONDS:
            _die_as_usual(numbers, on_terminate)
            os.kill(os.getpid(), number)
        if ending_since == math.inf:
            ending_since = time.monotonic()
            raise Terminated

    numbers = [number for number in _NUMBERS if signal.getsignal(number) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, on_terminate)
    _in_forked_processes(numbers, lambda: _die_as_usual(numbers, on_terminate))


def end_without_threads() -> None:
    """Do not wait for the threads of a script that was told to end: a signal would not either."""
    last = threading.Timer(_THREADS_SECONDS, os._exit, (LEFT_AS_ASKED,))
    last.daemon = True
    last.start()


def _die_as_usual(numbers: list[signal.Signals], handler: Callable[..., None]) -> None:
    for number in numbers:
        if signal.getsignal(number) is handler:
            signal.signal(number, signal.SIG_DFL)


def _in_forked_processes(numbers: list[signal.Signals], then: Callable[[], None]) -> None:
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
