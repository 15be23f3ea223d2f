"""Signals to the parent, one by one, with who sent them.

They are blocked and waited for, never handled: so nothing is interrupted halfway, and the kernel
tells a key on the terminal, which reached the training as well, from `kill`, which did not.
"""

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fitguard.kernel import open_signal_file

HANDLED = (
    signal.SIGINT,
    signal.SIGQUIT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGUSR1,
    signal.SIGUSR2,
    signal.SIGCONT,
    signal.SIGWINCH,
    signal.SIGCHLD,
)
"""SIGTSTP is not among them: Ctrl-Z stops both of us, as it always does."""
_ENDING = {signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP}


@dataclass(frozen=True)
class Received:
    """One signal.

    Args:
        to_us_alone: A process sent it, and not the terminal to all of the group.
        ignored: Who started us wants it ignored, and so does the training, which inherits that;
            unless its script has a handler for it.
    """

    number: int
    to_us_alone: bool
    ignored: bool = False


class Inbox:
    """Waits for signals, or just waits where there are none to be had."""

    def wait(self, seconds: float) -> Received | None:
        """The next signal; None where none came in time."""
        time.sleep(seconds)
        return None

    @property
    def wants_end(self) -> bool:
        """Whether a signal waits that wants the run to end."""
        return False


class SignalInbox(Inbox):
    """The signals of this process.

    Args:
        more: Taken beside those that always are; all are blocked now, and want the run to end.
    """

    def __init__(self, more: Collection[int] = ()) -> None:
        self._handled = {*map(int, HANDLED), *more}
        self._ending = {*_ENDING, *more}
        self._ignored = {one for one in self._handled if signal.getsignal(one) is signal.SIG_IGN}
        self._file = open_signal_file(self._handled)
        self._waiting = select.poll()
        self._waiting.register(self._file, select.POLLIN)

    def wait(self, seconds: float) -> Received | None:
        # `sigtimedwait` never waits here: where a process is stopped in it and goes on after its
        # time (seen with CPython 3.11), it returns a signal that nobody sent.
        pending = self._waiting.poll(seconds * 1000)
        found = signal.sigtimedwait(self._handled, 0) if pending else None
        if found is None:
            return None
        # The kernel's own codes are positive: SI_KERNEL for a key on the terminal.
        to_us_alone = found.si_code <= 0
        return Received(found.si_signo, to_us_alone, found.si_signo in self._ignored)

    def close(self) -> None:
        """Nothing is waited for any more."""
        os.close(self._file)

    @property
    def wants_end(self) -> bool:
        return bool(signal.sigpending() & (self._ending - self._ignored))


@contextlib.contextmanager
def taking_signals(more: Collection[int] = ()) -> Iterator[Inbox]:
    """The signals of this process while it lasts; none where this is not the main thread.

    A signal that is ignored stays so: `nohup` means it, and so does the shell of a background job.

    Args:
        more: To take beside those that always are; they want the run to end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Inbox()
        return
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        # The kernel would forget how the training ended.
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {*HANDLED, *more})
    box = SignalInbox(more)
    try:
        yield box
    finally:
        # What comes now comes too late: it must not hit us while we tell how it ended.
        while box.wait(0):
            pass
        box.close()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
