"""The supervisor in a thread of its own: the kernel stays interruptible, and shows the output."""

import codecs
import contextlib
import os
import re
import select
import sys
import threading
from collections.abc import Iterator
from typing import TextIO

from fitguard.supervise.command import Command
from fitguard.supervise.guarding import Guarding, GuardResult
from fitguard.supervise.options import RunOptions

_CHUNK_BYTES = 65536
_LOOK_SECONDS = 0.2
_STARTUP = re.compile(
    r"^(?:\d{4}-\d\d-\d\d [\d:.]+: I |I0000 |WARNING: All log messages before absl).*\n",
    re.MULTILINE,
)
"""What TensorFlow tells at each start: the kernel has shown it once, the log of the run has it."""
_RESUME = re.compile(r"fitguard run --resume (\S+?)(?=[;.]|\s|$)")


def supervise_training(command: Command, options: RunOptions, resuming: str) -> GuardResult:
    """Guard a training to its end; its output goes to `sys.stdout` and `sys.stderr`.

    Args:
        resuming: How a user of a notebook goes on with a run, with `{id}` in it.

    Raises:
        Interrupted: where the user interrupted, after the training has left.
        UsageError: where there is no such run to resume, or its folder cannot be written.
    """
    with _pipes() as (output, errors):

        def say(text: str) -> None:
            told = _RESUME.sub(lambda found: resuming.format(id=found[1]), text)
            line = told.removeprefix("\n")
            before = "\n" * (len(told) - len(line))
            os.write(errors[1], f"{before}fitguard: {line}\n".encode())

        guarding = Guarding(
            command, options, say=say, stdout=output[1], stderr=errors[1], readers_leave=True
        )
        guard = _GuardThread(guarding)
        guard.start()
        _show((output[0], errors[0]), guard)
    return guard.get_result()


class Interrupted(Exception):
    """The user has ended the training; it can go on.

    Attributes:
        run: Its id.
    """

    def __init__(self, run: str) -> None:
        super().__init__(run)
        self.run = run


class _GuardThread(threading.Thread):
    """Runs the supervisor. The training ends with this thread, so it stays until it has."""

    def __init__(self, guarding: Guarding) -> None:
        super().__init__(name="fitguard-guard", daemon=True)
        self._guarding = guarding
        self._result: GuardResult | None = None
        self._error: BaseException | None = None
        self._interrupts = 0

    def run(self) -> None:
        try:
            self._result = self._guarding.run()
        except BaseException as error:  # raised again where the user waits
            self._error = error

    def interrupt(self) -> None:
        """First let it take a snapshot, then end it at once."""
        self._interrupts += 1
        self._guarding.cancel("leave" if self._interrupts == 1 else "kill")

    def get_result(self) -> GuardResult:
        """How it ended."""
        if self._error is not None:
            raise self._error
        assert self._result is not None
        if self._interrupts and self._result.exit_code != 0:
            raise Interrupted(self._result.run.id)
        return self._result


def _show(files: tuple[int, int], guard: _GuardThread) -> None:
    """Pass on what is written, until the supervisor has ended."""
    streams = {
        file: _Stream(stream) for file, stream in zip(files, (sys.stdout, sys.stderr), strict=True)
    }
    while True:
        try:
            alive = guard.is_alive()
            ready, _, _ = select.select(files, [], [], _LOOK_SECONDS if alive else 0)
            for file in ready:
                streams[file].show(os.read(file, _CHUNK_BYTES))
            if not ready and not alive:
                return
        except KeyboardInterrupt:
            guard.interrupt()


class _Stream:
    """Bytes of the training become text of the notebook; `\\r` and backspaces stay as they are."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def show(self, data: bytes) -> None:
        text = _STARTUP.sub("", self._decoder.decode(data))
        if text:
            self._stream.write(text)
            self._stream.flush()


@contextlib.contextmanager
def _pipes() -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    output, errors = os.pipe(), os.pipe()
    try:
        yield output, errors
    finally:
        for file in (*output, *errors):
            os.close(file)
