"""XLA's autotuning that runs out of memory again and again: minutes in which no exception comes.

When a compiled step does not fit, XLA tries one candidate after the other; the allocator waits ten
seconds for each, writes that it ran out of memory, and nothing is raised until all have failed. A
request of XLA has no operation's name behind `requested by op`, or that of a whole function
(`__inference__run_610`): in graph mode there is that of an operation, and an exception at once.
Seen on an H200 with TensorFlow 2.21.
"""

import re
import threading
import time
from collections.abc import Callable

FAILURES = 4

_WORDS = (b"ran out of memory trying to allocate", b"Autotuning candidate failed with out of mem")
_OF_XLA = re.compile(
    rb"ran out of memory trying to allocate (?!.*not a failure).*"
    rb"requested by op\s*(?:__inference_\S+)?$"
    rb"|Autotuning candidate failed with out of memory"
)
_LONGEST_LINE = 4096


class AutotuningWatch:
    """Counts such failures in the output of one child.

    Args:
        limit_seconds: For which they may go on.
    """

    def __init__(self, limit_seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_seconds = limit_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._begun = b""
        self._failures: list[tuple[float, str]] = []
        self._beats = -1

    def hear(self, data: bytes) -> None:
        """Called with all output, in any pieces."""
        with self._lock:
            text = self._begun + data
            whole, _, rest = text.rpartition(b"\n")
            self._begun = rest[-_LONGEST_LINE:]
            if any(word in whole for word in _WORDS):
                self._count(whole)

    def _count(self, lines: bytes) -> None:
        for line in lines.split(b"\n"):
            if _OF_XLA.search(line.rstrip()):
                self._failures.append((self._clock(), line.decode("utf-8", "replace").strip()))

    def look(self, beats: int) -> tuple[str, ...]:
        """The lines that prove it, where it goes on like that; a step in between forgives all."""
        with self._lock:
            if beats != self._beats:
                self._beats = beats
                self._failures.clear()
            if len(self._failures) < FAILURES:
                return ()
            if self._clock() - self._failures[0][0] < self._limit_seconds:
                return ()
            return tuple(line for _, line in self._failures[-FAILURES:])
