"""The actor: one worker of one training, guarded by `fitguard run` in a process of its own.

The process stays in the actor's process group, which Ray ends with the actor, and is tied to the
thread that started it: it survives neither `ray.kill`, nor kill -9 of the actor or of its raylet.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.fleet.records import RunRecord, read_record
from fitguard.schema.journal import LEFT_AS_ASKED

_TAIL_BYTES = 8192
_NOT_FOR_TRAININGS = ("RAY_AUTH_TOKEN", "OMP_NUM_THREADS")
"""Ray sets the last one to 1 by itself, and numbers would differ from those of a plain training."""
_CANNOT_START = 127
_LOOK_SECONDS = 0.5


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a trainer is to start.

    Args:
        words: Behind `fitguard run`.
        run: The id of the run that this makes.
        environment: Beside what the node has.
    """

    words: tuple[str, ...]
    run: str
    storage: str
    folder: str
    environment: dict[str, str] = {}


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a worker of a training ended.

    Args:
        exit_code: Of `fitguard run`, as a shell tells it.
        said: The last lines that it wrote to stderr.
    """

    exit_code: int
    record: RunRecord
    said: str = ""


class Trainer:
    """Lives on the card that Ray gave to it, for one start of a training."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._is_asked = False
        self._lock = threading.Lock()
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def train(self, order: Order) -> Ended:
        """Train to the end, or until it is asked to leave."""
        before = read_record(Path(order.storage), order.run)
        with self._lock:
            if self._is_asked:
                return _conclude(order, before, LEFT_AS_ASKED, "")
            try:
                self._process = process = self._start(order)
            except OSError as error:
                where = error.filename or order.folder
                return _conclude(order, before, _CANNOT_START, f"{where}: {error.strerror}")
        assert process.stderr is not None
        tail = _Tail(process.stderr)
        code = process.wait()
        return _conclude(order, before, code if code >= 0 else 128 - code, tail.take())

    def leave(self) -> None:
        """Ask the training to take a snapshot and to leave."""
        with self._lock:
            self._is_asked = True
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)

    def _start(self, order: Order) -> subprocess.Popen[bytes]:
        words = [sys.executable, *words_to_run("fitguard"), "run", *order.words]
        return subprocess.Popen(
            [sys.executable, *words_to_run("fitguard.fleet.tether"), str(os.getpid()), *words],
            cwd=order.folder,
            env=select_variables(os.environ) | order.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what the training writes is in the log of its run
            stderr=subprocess.PIPE,
        )


def _conclude(order: Order, before: RunRecord, code: int, said: str) -> Ended:
    """`before`: the record as it was. Without a new attempt, its last end is not that of today."""
    record = read_record(Path(order.storage), order.run)
    if record.attempts == before.attempts:
        record = msgspec.structs.replace(record, outcome="", cause="", why="")
    return Ended(exit_code=code, record=record, said=said)


def select_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """What a training inherits of an actor."""
    return {name: text for name, text in environment.items() if name not in _NOT_FOR_TRAININGS}


def _end_with(raylet: int) -> None:
    """End this process when its raylet has.

    Ray does so only where orphans become children of process 1; under systemd, and in many
    containers, they do not.
    """
    while os.getppid() == raylet:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


class _Tail:
    """The end of what a process writes, read in a thread so that it never has to wait for us."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._end = b""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while part := os.read(self._stream.fileno(), _TAIL_BYTES):
            self._end = (self._end + part)[-_TAIL_BYTES:]

    def take(self) -> str:
        """What there is; what it started may hold the pipe open for longer."""
        self._thread.join(timeout=1)
        return self._end.decode("utf-8", "replace")
