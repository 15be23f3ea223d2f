"""What is left of a parent that has gone: it carries what others still write to the same reader.

Under plain Python, a process that the script leaves behind writes to the user's terminal or pipe
itself. Here it writes to a channel that would break with the parent, and SIGPIPE would kill it.

    python carrier.py < CHANNEL > READER

The file runs by itself, without fitguard: it must start quickly and stay small.
"""

import contextlib
import os
import sys

_CHUNK_BYTES = 65536


def leave_carrier(source: int, target: int) -> None:
    """Start it; it lives until nobody holds the other end of the channel.

    Raises:
        OSError: where it cannot be started.
    """
    pid = os.posix_spawn(
        sys.executable,
        [sys.executable, "-I", "-S", __file__],
        {},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, source, 0),
            (os.POSIX_SPAWN_DUP2, target, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setsigmask=(),
    )
    os.waitpid(pid, 0)


def main() -> None:
    """Leave whoever started it, and carry."""
    if os.fork():
        os._exit(0)
    # Not even the end of the terminal's session ends what the script has left behind.
    os.setsid()
    # A terminal says with an error that nobody holds it; a reader that is gone, with another.
    with contextlib.suppress(OSError):
        while data := os.read(0, _CHUNK_BYTES):
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(1, rest) :]


if __name__ == "__main__":
    main()
