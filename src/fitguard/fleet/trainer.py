"""The actor: one worker of one training, guarded by `fitguard run` in a process of its own.

The process stays in the actor's process group, which Ray ends with the actor, and is tied to the
thread that started it: it survives neither `ray.kill`, nor kill -9 of the actor or of its raylet.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.fleet.parcels import keeping
from fitguard.fleet.records import RunRecord, read_record
from fitguard.fleet.storage.catalog import InOtherHands
from fitguard.fleet.storage.opening import (
    AskedToLeave,
    Heard,
    Keeping,
    NodeUnfit,
    Storage,
    open_storage,
)
from fitguard.schema.exit_codes import ExitCode, UnreadableInput
from fitguard.schema.journal import LEFT_AS_ASKED
from fitguard.schema.run import Place
from fitguard.supervise.options import CARD_VARIABLE

_TAIL_BYTES = 8192
_NOT_FOR_TRAININGS = ("RAY_AUTH_TOKEN", "OMP_NUM_THREADS")
"""Ray sets the last one to 1 by itself, and numbers would differ from those of a plain training."""
_CANNOT_START = 127
_LOOK_SECONDS = 0.5


class Order(msgspec.Struct, frozen=True, kw_only=True):
    """What a trainer is to start.

    Args:
        words: Behind `fitguard run`; the folder of the runs comes from the storage.
        run: The id of the run that this makes.
        marker: A file in the storage: without it, this is not the storage of the fleet.
        environment: Beside what the node has.
        parcels: Of its function, where that cannot be imported.
        card: Index and name of its card on the node.
    """

    words: tuple[str, ...]
    run: str
    storage: str
    marker: str = ""
    folder: str
    environment: dict[str, str] = {}
    parcels: tuple[bytes, ...] = ()
    card: str = ""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a worker of a training ended.

    Args:
        exit_code: Of `fitguard run`, as a shell tells it.
        said: The last lines that it wrote to stderr.
        heard: What was not told yet of the storage; `trouble`: the last copy is not there.
        without_storage: It was not begun: the storage was not there, or this node has no room.
    """

    exit_code: int
    record: RunRecord
    said: str = ""
    heard: Heard = Heard()
    without_storage: bool = False

    @property
    def last_line(self) -> str:
        """Of what it said."""
        lines = [line for line in self.said.splitlines() if line.strip()]
        return lines[-1].removeprefix("fitguard: ") if lines else ""


class Trainer:
    """Lives on the card that Ray gave to it, for one start of a training."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._order: Order | None = None
        self._kept: Keeping | None = None
        self._begins_from: Place | None = None
        self._is_asked = False
        self._lock = threading.Lock()
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def train(self, order: Order) -> Ended:
        """Train to the end, or until it is asked to leave."""
        with keeping(order.parcels) as variables:
            return self._train(order, variables)

    def _train(self, order: Order, variables: dict[str, str]) -> Ended:
        self._order = order
        storage = open_storage(order.storage)
        nothing = RunRecord(run=order.run)
        if _is_away(storage, order):
            # What is begun in an empty folder in its place begins from nothing.
            return Ended(exit_code=LEFT_AS_ASKED, record=nothing, without_storage=True)
        kept = storage.keep(order.run, is_asked=lambda: self._is_asked, leave=self.leave)
        self._kept = kept
        try:
            kept.begin()
        except AskedToLeave:
            return Ended(exit_code=LEFT_AS_ASKED, record=nothing)
        except InOtherHands as error:
            return Ended(exit_code=LEFT_AS_ASKED, record=nothing, said=str(error))
        except NodeUnfit as error:
            return Ended(
                exit_code=LEFT_AS_ASKED,
                record=nothing,
                said=str(error),
                heard=msgspec.structs.replace(kept.listen(), trouble=str(error)),
                without_storage=True,
            )
        except UnreadableInput as error:
            return Ended(
                exit_code=ExitCode.UNREADABLE_INPUT,
                record=nothing,
                said=str(error),
                heard=kept.listen(),
            )
        before = read_record(kept.runs_folder, order.run)
        self._begins_from = before.kept
        code, said = self._run(order, kept.runs_folder, variables)
        trouble = kept.finish()
        heard = msgspec.structs.replace(kept.listen(), trouble=trouble)
        record = read_record(kept.runs_folder, order.run)
        was_refused = record.attempts == before.attempts
        if code and was_refused and _is_away(storage, order):
            # What `fitguard run` says of a storage that went just now would count on all nodes.
            return Ended(exit_code=LEFT_AS_ASKED, record=nothing, said=said, without_storage=True)
        if kept.lost or was_refused:
            # Without a new attempt, its last end is not that of today.
            record = msgspec.structs.replace(record, outcome="", cause="", why="")
        return Ended(
            exit_code=LEFT_AS_ASKED if kept.lost else code, record=record, said=said, heard=heard
        )

    def _run(self, order: Order, runs_folder: Path, variables: dict[str, str]) -> tuple[int, str]:
        """The exit code, as a shell tells it, and what was said last."""
        with self._lock:
            if self._is_asked:
                return LEFT_AS_ASKED, ""
            try:
                self._process = process = self._start(order, runs_folder, variables)
            except OSError as error:
                return _CANNOT_START, f"{error.filename or order.folder}: {error.strerror}"
        assert process.stderr is not None
        tail = _Tail(process.stderr)
        code = process.wait()
        return code if code >= 0 else 128 - code, tail.take()

    def leave(self) -> None:
        """Ask the training to take a snapshot and to leave."""
        with self._lock:
            self._is_asked = True
            if self._process is not None and self._process.poll() is None:
                self._process.send_signal(signal.SIGTERM)

    def measure(self) -> int:
        """The most that it had in use so far; 0 where that is not known yet."""
        order, kept = self._order, self._kept
        if order is None or kept is None:
            return 0
        return read_record(kept.runs_folder, order.run).peak_bytes

    def listen(self) -> Heard:
        """What is new of its run in the storage."""
        heard = self._kept.listen() if self._kept is not None else Heard()
        return msgspec.structs.replace(heard, begins_from=self._begins_from)

    def _start(
        self, order: Order, runs_folder: Path, variables: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        words = [sys.executable, *words_to_run("fitguard"), "run"]
        words += [f"--runs-folder={runs_folder}", *order.words]
        return subprocess.Popen(
            [sys.executable, *words_to_run("fitguard.fleet.tether"), str(os.getpid()), *words],
            cwd=order.folder,
            env=select_variables(os.environ)
            | order.environment
            | variables
            | {CARD_VARIABLE: f"{socket.gethostname()}/{order.card}"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,  # what the training writes is in the log of its run
            stderr=subprocess.PIPE,
        )


def select_variables(environment: Mapping[str, str]) -> dict[str, str]:
    """What a training inherits of an actor."""
    return {name: text for name, text in environment.items() if name not in _NOT_FOR_TRAININGS}


def _is_away(storage: Storage, order: Order) -> bool:
    return bool(order.marker) and not storage.is_here(order.marker)


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
