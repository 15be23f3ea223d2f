"""The runs in a folder, and how each of them stands."""

import contextlib
import heapq
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fitguard.monitor.regular_files import UNDECODABLE, open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import AnyEvent, RunEnded, RunStarted
from fitguard.schema.run import RunState
from fitguard.schema.run_command import is_soak, list_fixed_words
from fitguard.supervise.command import Command
from fitguard.supervise.copied_by_ray import find_place_in_copy
from fitguard.supervise.lock import find_holder
from fitguard.supervise.naming import RUN_ID

_DECODER: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)
_MOST_LOOKED_AT = 200
_HEAD_BYTES = 65536
_TAIL_BYTES = 65536


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

    def is_of(self, command: Command, place: Path) -> bool:
        """Whether the same words were typed in the same folder; of a soak, those that are fixed."""
        fixed = list_fixed_words(self.started.command)
        return fixed == list_fixed_words(command.as_given) and self.belongs_to(place)

    def is_meant(self, command: Command | None, place: Path) -> bool:
        """Whether it is of this command; without one, whether it is a training."""
        if command is None:
            return not is_soak(self.started.command)
        return self.is_of(command, place)

    def belongs_to(self, place: Path) -> bool:
        """Whether it was started in this folder, or in one that was moved or copied to here."""
        before = Path(self.started.working_directory)
        if before == place or not before.is_dir():
            return True
        if (part := find_place_in_copy(place)) is not None and part == find_place_in_copy(before):
            return True
        with contextlib.suppress(OSError):
            if before.samefile(place):
                return True
        path = self.folder.path
        return path.is_relative_to(place) and not path.is_relative_to(before)

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


def find_runs(runs_folder: Path) -> Iterator[KnownRun]:
    """The runs in a folder, the newest first."""
    try:
        names = sorted((entry.name for entry in runs_folder.iterdir()), reverse=True)
    except OSError:
        return
    by_time = [name for name in names if RUN_ID.fullmatch(name)]
    by_name = [name for name in names if not RUN_ID.fullmatch(name) and name[0] != "."]
    yield from heapq.merge(
        _read_runs(runs_folder, by_time),
        sorted(_read_runs(runs_folder, by_name), key=_get_start, reverse=True),
        key=_get_start,
        reverse=True,
    )


def _read_runs(runs_folder: Path, names: Sequence[str]) -> Iterator[KnownRun]:
    for name in names[:_MOST_LOOKED_AT]:
        if (found := read_known_run(RunFolder(runs_folder / name))) is not None:
            yield found


def _get_start(run: KnownRun) -> float:
    return run.started.time


def read_known_run(folder: RunFolder) -> KnownRun | None:
    """The run of a folder, by the beginning and the end of its journal; None without one."""
    try:
        with os.fdopen(open_regular(folder.journal), "rb") as journal:
            head = journal.read(_HEAD_BYTES)
            size = journal.seek(0, 2)
            journal.seek(max(0, size - _TAIL_BYTES))
            tail = journal.read()
    except OSError:
        return None
    events = (_decode_event(line) for line in head.split(b"\n"))
    started = next((event for event in events if isinstance(event, RunStarted)), None)
    if started is None:
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
