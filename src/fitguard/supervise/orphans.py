"""Processes whose parents died below us: data workers of a dead attempt, zombies.

As their subreaper we get them all, also those that lived too short to be sampled. What a dead
attempt left behind is ended before anything is decided: it may hold the memory that the next one
needs. What a script left behind at an end of its own making is left alone, as under plain Python.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator

from fitguard.facts.processes import Process, find_alive, find_family
from fitguard.kernel import adopt_orphans

_ESCALATION = ((signal.SIGTERM, 2.0), (signal.SIGKILL, 3.0))
_LOOK_SECONDS = 0.02
STARTING = threading.Lock()
"""Held from the start of a process of our own until it is spared: it may end before, and whoever
reaps it then takes its exit code, so that it seems to be 0."""


class Orphans:
    """Those that the kernel gives to us.

    Args:
        adopts: Whether it does: not in a thread of somebody else's process.
        before: Children that we had already.
    """

    def __init__(self, *, adopts: bool, before: Iterable[Process] = ()) -> None:
        self._adopts = adopts
        self._before = {process.identity for process in before}
        self._own: set[int] = set()

    def spare(self, pid: int) -> None:
        """No orphan: we have started it, and wait for it ourselves."""
        self._own.add(pid)

    def end(self, seen: Iterable[Process] = ()) -> None:
        """End what a dead attempt left behind, and wait until it has gone.

        Args:
            seen: Descendants of the attempt, as a sample has seen them.
        """
        for number, seconds in _ESCALATION:
            until = time.monotonic() + seconds
            send_to_all(self._find(seen), number)
            while self._find(seen) and time.monotonic() < until:
                time.sleep(_LOOK_SECONDS)
            self.reap()

    def reap(self, child: int = 0) -> None:
        """Take the exit codes that nobody else will.

        Args:
            child: The training process, which is waited for elsewhere.
        """
        while self._adopts:
            with STARTING:
                try:
                    found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
                except ChildProcessError:
                    return
                if found is None or found.si_pid == child or found.si_pid in self._own:
                    return
                os.waitpid(found.si_pid, os.WNOHANG)

    def _find(self, seen: Iterable[Process]) -> list[Process]:
        """Those that are alive: all that we got, and of the others those that were seen."""
        mine = find_family(os.getpid(), spare=self._is_spared)[1:] if self._adopts else []
        return find_alive({process.identity: process for process in (*mine, *seen)}.values())

    def _is_spared(self, process: Process) -> bool:
        return process.identity in self._before or process.pid in self._own


@contextlib.contextmanager
def adopting_orphans() -> Iterator[Orphans]:
    """Get them while it lasts; not where this is a thread of somebody else's process."""
    if threading.current_thread() is not threading.main_thread():
        yield Orphans(adopts=False)
        return
    adopts = adopt_orphans(adopts=True) or os.getpid() == 1
    orphans = Orphans(adopts=adopts, before=find_family(os.getpid()))
    try:
        yield orphans
    finally:
        adopt_orphans(adopts=False)


def send_to_all(processes: Iterable[Process], number: int) -> None:
    """Send a signal."""
    for process in processes:
        with contextlib.suppress(OSError):
            os.kill(process.pid, number)
