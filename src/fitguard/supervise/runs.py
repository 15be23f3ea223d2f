"""The runs in a folder: which of them can be resumed, and how a new one is named."""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fitguard.monitor.regular_files import UNDECODABLE, open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import AnyEvent, RunEnded, RunStarted
from fitguard.schema.run import RunState
from fitguard.supervise.command import Command
from fitguard.supervise.lock import find_holder

RUN_ID = re.compile(r"\d{8}-\d{6}-[\w.]+-[0-9a-f]{4}")
_DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_MOST_LOOKED_AT = 200
_TAIL_BYTES = 65536
_SHOWN = 5


@dataclass(frozen=True)
class KnownRun:
    """What is needed to choose among runs.

    Args:
        holder: The process that guards it now; None where none does.
    """

    folder: RunFolder
    started: RunStarted
    state: RunState
    holder: int | None = None

    def is_of(self, command: Command, working_directory: str) -> bool:
        """Whether the same words were typed in the same folder."""
        same_place = self.started.working_directory == working_directory
        return same_place and self.started.command == command.as_given

    @property
    def resumable(self) -> bool:
        """Whether there is something left to do, and nobody at it."""
        return self.state not in ("finished", "running")

    @property
    def has_snapshot(self) -> bool:
        """Whether going on would save anything."""
        with contextlib.suppress(OSError):
            return any(self.folder.snapshots.iterdir())
        return False


def make_id(command: Command, moment: float | None = None) -> str:
    """`20261115-142500-train-4f2a`: sorted by name they are sorted by time."""
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(moment))
    name = re.sub(r"\W+", "_", command.name).strip("_")[:24] or "run"
    return f"{stamp}-{name}-{secrets.token_hex(2)}"


def find_runs(runs_folder: Path) -> Iterator[KnownRun]:
    """The runs in a folder, the newest first."""
    try:
        folders = sorted(
            (entry for entry in runs_folder.iterdir() if RUN_ID.fullmatch(entry.name)),
            key=lambda entry: entry.name,
            reverse=True,
        )
    except OSError:
        return
    for path in folders[:_MOST_LOOKED_AT]:
        if (found := read_known_run(RunFolder(path))) is not None:
            yield found


def read_known_run(folder: RunFolder) -> KnownRun | None:
    """The run of a folder, by the beginning and the end of its journal; None without one."""
    try:
        with os.fdopen(open_regular(folder.journal), "rb") as journal:
            first = journal.readline(_TAIL_BYTES)
            size = journal.seek(0, 2)
            journal.seek(max(0, size - _TAIL_BYTES))
            tail = journal.read()
    except OSError:
        return None
    started = _decode_event(first)
    if not isinstance(started, RunStarted):
        return None
    held = find_holder(folder)
    return KnownRun(folder, started, _read_state(tail, alive=held is not None), held)


def _read_state(tail: bytes, *, alive: bool) -> RunState:
    if alive:
        return "running"
    for line in reversed(tail.split(b"\n")):
        event = _decode_event(line)
        if isinstance(event, RunEnded):
            return event.state
        if isinstance(event, RunStarted):
            break
    return "lost"


def _decode_event(line: bytes) -> AnyEvent | None:
    with contextlib.suppress(*UNDECODABLE):
        return _DECODER.decode(line)
    return None


def find_by_id(runs_folder: Path, run_id: str) -> KnownRun:
    """One run that can be resumed.

    Raises:
        UsageError: where there is none of that name, or nothing left to do.
    """
    found = read_known_run(RunFolder(runs_folder / run_id))
    if found is None:
        there = [run.folder.id for run in find_runs(runs_folder) if run.resumable][:_SHOWN]
        expected = f"one of: {', '.join(there)}" if there else "the id of a run; there is none"
        raise UsageError(
            f"Received --resume {run_id}, which is no run in {runs_folder}. Expected {expected}"
        )
    if found.state == "finished":
        raise UsageError(
            f"Received --resume {run_id}, which is finished. Expected a run with something left "
            f"to do; `fitguard report {run_id}` shows it, and without --resume a new run begins"
        )
    if found.holder is not None:
        raise UsageError(
            f"Received --resume {run_id}, which process {found.holder} guards now. Expected a run "
            "that nobody guards"
        )
    return found


def find_newest(runs_folder: Path, command: Command | None, working_directory: str) -> KnownRun:
    """The newest run that can be resumed, of this command where one is given.

    Raises:
        UsageError: where there is none.
    """
    running = None
    for run in find_runs(runs_folder):
        if command is not None and not run.is_of(command, working_directory):
            continue
        if run.resumable:
            return run
        if run.state == "running":
            running = run
    of_it = f" of `{' '.join(command.as_given)}`" if command is not None else ""
    why = f"; {running.folder.id} is running" if running else ""
    raise UsageError(
        f"Received --resume, but {runs_folder} holds no unfinished run{of_it}{why}. Expected one "
        "to go on with; without --resume a new run begins"
    )


def find_unfinished(runs_folder: Path, command: Command, working_directory: str) -> KnownRun | None:
    """The newest run of the same command, where it is worth resuming."""
    for run in find_runs(runs_folder):
        if run.is_of(command, working_directory):
            return run if run.resumable and run.has_snapshot else None
    return None
