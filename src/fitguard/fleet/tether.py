"""Starts a program that ends when its parent does: `python -m fitguard.fleet.tether PARENT WORDS…`.

The kernel sends it SIGTERM when the *thread* that started it ends, in whatever way; for `fitguard
run` that means a snapshot, and leaving. A process with many threads, such as an actor of Ray,
cannot arrange that between fork and exec without danger, so the program does it for itself.
"""

import os
import signal
import sys

from fitguard.kernel import end_with_parent

_ORPHANED = 75


def main() -> None:
    """Tie this process to its parent, then become the program."""
    parent, *words = sys.argv[1:]
    # An embedded Ray does not listen to it, and its workers inherit that.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    end_with_parent(signal.SIGTERM)
    if os.getppid() != int(parent):  # it died before the kernel was told
        sys.exit(_ORPHANED)
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
