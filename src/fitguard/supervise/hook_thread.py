"""A thread for what the user wants done beside the training, which never waits for it."""

import abc
import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from typing import BinaryIO

from fitguard.supervise.orphans import STARTING

_LOOK_SECONDS = 0.5
_WAIT_SECONDS = 0.1
_KILL_SECONDS = 5.0


class HookThread(threading.Thread, abc.ABC):
    """Looks now and then whether there is something to do, and does it: see `_work`.

    Args:
        what: How a failure is told: `what shall run after each snapshot`.
        say: Told of the first failure.
        spare: Told of each process: it is no helper of the training, and may outlive it.
    """

    def __init__(
        self, name: str, what: str, say: Callable[[str], None], spare: Callable[[int], None]
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._what = what
        self._say = say
        self._spare = spare
        self._ended = threading.Event()
        self._process: subprocess.Popen[bytes] | None = None
        self._has_failed = False
        self._abandoned = False

    def end(self) -> None:
        """Nothing more will come."""
        self._ended.set()

    def finish(self, seconds: float, wait: Callable[[float], bool] = lambda _: False) -> None:
        """Let it do what is left, for so long at most.

        Args:
            wait: Waits for so many seconds; whether somebody wants us to leave.
        """
        self.end()
        until = time.monotonic() + seconds
        while self.is_alive() and time.monotonic() < until and not wait(_WAIT_SECONDS):
            pass
        if self.is_alive():
            self._fail("the run ended before it was done")
            self._abandoned = True
            self._kill()
            self.join(_KILL_SECONDS if self._process is not None else 0.0)

    def run(self) -> None:
        while True:
            # Asked first: what came with the end of the training is not missed.
            is_last = self._ended.wait(_LOOK_SECONDS)
            try:
                self._work()
            except Exception as error:  # whatever the user's function raises
                self._fail(f"{type(error).__name__}: {error}")
            if is_last:
                return

    @abc.abstractmethod
    def _work(self) -> None:
        """Do what there is to do now."""

    def _run_command(
        self,
        command: str,
        variables: Mapping[str, str],
        output: BinaryIO,
        content: bytes = b"",
        seconds: float | None = None,
    ) -> int:
        """Run a command of the shell; its exit code.

        Args:
            content: What it can read.
            seconds: After which it is killed; None for never.
        """
        with STARTING:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", command],
                env={**os.environ, **variables},
                stdin=subprocess.PIPE if content else subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                # What ends the training shall not end the command.
                start_new_session=True,
            )
            self._spare(self._process.pid)
        try:
            self._process.communicate(content or None, timeout=seconds)
        except subprocess.TimeoutExpired:
            self._kill()
        code = self._process.wait()
        self._process = None
        return code

    def _fail(self, why: str) -> None:
        if not self._has_failed:
            self._has_failed = True
            self._say(
                f"{self._what} failed: {why.rstrip('. ')}. The training is not concerned; this is "
                "said once."
            )

    def _kill(self) -> None:
        process = self._process
        if process is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
