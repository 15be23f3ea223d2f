"""Runs a foreign program under a time limit and keeps the end of its output."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO

KEPT_BYTES = 8 * 2**20
_POLL_SECONDS = 0.05
_DRAIN_SECONDS = 0.2
_REAP_SECONDS = 2.0


@dataclass(frozen=True)
class Outcome:
    """How the program ended.

    Args:
        stdout: The last `KEPT_BYTES` of it, as of `stderr`.
        exit_code: Negative for a signal, as subprocess gives it; None where it would not end.
        timed_out: Whether it was stopped at the time limit.
    """

    stdout: bytes
    stderr: bytes
    exit_code: int | None
    timed_out: bool = False


class _Reader(threading.Thread):
    """Reads one pipe to its end, and holds the last part."""

    def __init__(self, stream: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self.stream = stream
        self._held = bytearray()
        self.start()

    def run(self) -> None:
        while chunk := os.read(self.stream.fileno(), 65536):
            self._held += chunk
            if len(self._held) >= 2 * KEPT_BYTES:
                del self._held[:-KEPT_BYTES]

    @property
    def tail(self) -> bytes:
        return bytes(self._held[-KEPT_BYTES:])

    def close(self) -> None:
        # A descendant that escaped may still hold the other end: then the thread stays in its read,
        # and closing the file under it could hit a file that is opened later.
        if not self.is_alive():
            self.stream.close()


def run(command: Sequence[str], environment: Mapping[str, str], limit_seconds: float) -> Outcome:
    """Run a command without input, and stop it with all that it started where it does not end.

    Raises:
        OSError: if it cannot be started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environment),
        bufsize=0,
        start_new_session=True,
    )
    try:
        return _follow(process, limit_seconds)
    except BaseException:
        # Ctrl-C does not reach it: it has a session of its own.
        _kill(process)
        raise


def _follow(process: subprocess.Popen[bytes], limit_seconds: float) -> Outcome:
    assert process.stdout is not None
    assert process.stderr is not None
    readers = (_Reader(process.stdout), _Reader(process.stderr))
    timed_out = not _wait(process, readers, limit_seconds)
    if timed_out or any(reader.is_alive() for reader in readers):
        _kill(process)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_REAP_SECONDS)
    for reader in readers:
        reader.join(_DRAIN_SECONDS)
        reader.close()
    stdout, stderr = (reader.tail for reader in readers)
    return Outcome(stdout, stderr, process.returncode, timed_out)


def _wait(process: subprocess.Popen[bytes], readers: Sequence[_Reader], limit: float) -> bool:
    """Wait until both pipes are at their end, or the program is; False at the time limit.

    A program may end and leave a descendant that holds the pipes, or close them and go on.
    """
    deadline = time.monotonic() + limit
    while (rest := deadline - time.monotonic()) > 0:
        open_pipes = [reader for reader in readers if reader.is_alive()]
        if open_pipes:
            open_pipes[0].join(min(_POLL_SECONDS, rest))
        if process.poll() is not None:
            for reader in open_pipes:
                reader.join(_DRAIN_SECONDS)
            return True
        if not open_pipes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(min(_POLL_SECONDS, rest))
    return False


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End the program and its descendants at once: it may ignore a polite request."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
