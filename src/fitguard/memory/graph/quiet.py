"""Keeps TensorFlow's own log lines away from the user."""

import contextlib
import os
import sys
from collections.abc import Iterator

STDERR = 2


@contextlib.contextmanager
def dropping_log() -> Iterator[None]:
    """Inside, what native code writes to stderr is dropped.

    For a GPU that is not there, the graph optimizer logs a warning for each operation. The level of
    the log is read once, when TensorFlow is loaded, so it cannot be changed here.
    """
    try:
        kept = os.dup(STDERR)
    except OSError:  # closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if sys.stderr is not None:
        sys.stderr.flush()
    os.dup2(nowhere, STDERR)
    try:
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(nowhere)
        os.close(kept)
