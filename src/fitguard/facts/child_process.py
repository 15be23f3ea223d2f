"""Runs a foreign program under a time limit and keeps the end of its output."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
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


class Program:
    """A foreign program, started without input, in a session of its own.

    Args:
        stdin: Whether it may be told something, through `process.stdin`.
        shared: Numbers of open files that it inherits.

    Raises:
        OSError: if it cannot be started.
    """

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        *,
        stdin: bool = False,
        shared: Sequence[int] = (),
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            bufsize=0,
            start_new_session=True,
            pass_fds=tuple(shared),
        )
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._readers = (_Reader(self.process.stdout), _Reader(self.process.stderr))

    def follow(
        self, limit_seconds: float, stop_early: Callable[[], bool] = lambda: False
    ) -> Outcome:
        """Wait for its end, and stop it with all that it started where it does not end.

        Args:
            stop_early: Asked some twenty times in a second whether to stop it now.
        """
        try:
            timed_out = not self._wait(limit_seconds, stop_early)
            if timed_out or any(reader.is_alive() for reader in self._readers):
                self.kill()
        except BaseException:
            # Ctrl-C does not reach it: it has a session of its own.
            self.kill()
            raise
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_REAP_SECONDS)
        for reader in self._readers:
            reader.join(_DRAIN_SECONDS)
            reader.close()
        stdout, stderr = (reader.tail for reader in self._readers)
        return Outcome(stdout, stderr, self.process.returncode, timed_out)

    def _wait(self, limit: float, stop_early: Callable[[], bool]) -> bool:
        """Wait until both pipes are at their end, or the program is; False where it is stopped.

        A program may end and leave a descendant that holds the pipes, or close them and go on.
        """
        deadline = time.monotonic() + limit
        while (rest := deadline - time.monotonic()) > 0:
            open_pipes = [reader for reader in self._readers if reader.is_alive()]
            if open_pipes:
                open_pipes[0].join(min(_POLL_SECONDS, rest))
            if self.process.poll() is not None:
                for reader in open_pipes:
                    reader.join(_DRAIN_SECONDS)
                return True
            if not open_pipes:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(min(_POLL_SECONDS, rest))
            if stop_early():
                return False
        return False

    def kill(self) -> None:
        """End it and its descendants at once: it may ignore a polite request."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        else:
            self.process.kill()


def run(command: Sequence[str], environment: Mapping[str, str], limit_seconds: float) -> Outcome:
    """Run a command without input, to its end or to the limit.

    Raises:
        OSError: if it cannot be started.
    """
    return Program(command, environment).follow(limit_seconds)
