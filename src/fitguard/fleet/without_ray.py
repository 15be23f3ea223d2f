"""Standard output without what Ray says there: it is for the answer.

Whatever its settings are, Ray prints a page on each actor and node that died, in a thread of its
own. The fleet says the same in a line, and Ray's own logs have it.
"""

import threading
from typing import Any, TextIO

_THREADS = "ray_"
"""How the names of Ray's threads begin."""


class WithoutRay:
    """A stream that threads of Ray cannot write to."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write it, unless Ray does."""
        if threading.current_thread().name.startswith(_THREADS):
            return len(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
