"""A run becomes ours: a new folder, or one that another parent left behind."""

import contextlib
import os
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fitguard.monitor.flushing import sync_folder
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import now
from fitguard.monitor.regular_files import FOLDER_MODE
from fitguard.monitor.run_folder import RunFolder, create_runs_folder
from fitguard.monitor.trust import find_distrust, require_safe_parent, require_trusted
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import (
    EVERY_FIT,
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    Orders,
    RunStarted,
)
from fitguard.schema.run import Place
from fitguard.supervise.command import EXPECTED, Command, parse
from fitguard.supervise.lock import locking_run
from fitguard.supervise.options import NEWEST, RunOptions
from fitguard.supervise.output_log import OutputLog
from fitguard.supervise.record import Record
from fitguard.supervise.runs import KnownRun, find_by_id, find_newest, find_unfinished, make_id

# The package is loaded, and an import of it would be one of all rooms.
_VERSION: str = sys.modules["fitguard"].__version__
_SEED_BITS = 31
_ORPHAN_SECONDS = 1.0


@dataclass(frozen=True)
class Claim:
    """A run that this process guards from now on.

    Args:
        orders: For its next attempt.
    """

    command: Command
    folder: RunFolder
    record: Record
    log: OutputLog
    orders: Orders


@contextlib.contextmanager
def claiming_run(
    command: Command | None, options: RunOptions, say: Callable[[str], None]
) -> Iterator[Claim]:
    """Hold a run, new or resumed.

    Raises:
        UsageError: where there is none to resume, another process holds it, or nothing can be
            written.
        UnreadableInput: where others could have written what the run would obey.
    """
    runs_folder = options.runs_folder.absolute()
    require_safe_parent(runs_folder, trust_folder=options.trust_folder)
    resumed = _find_run_to_resume(command, options, runs_folder)
    if resumed is not None:
        require_trusted(resumed.folder.path, trust_folder=options.trust_folder)
        command = _require_same_command(command, resumed)
        folder = resumed.folder
    elif command is None:
        raise UsageError(f"Received no command. {EXPECTED}")
    else:
        if before := find_unfinished(runs_folder, command, str(Path.cwd())):
            say(
                f"an earlier run of this command is not finished; this is a new run. To continue "
                f"the earlier one: fitguard run --resume {before.folder.id}"
            )
        folder = _create_folder(runs_folder, command)
        _warn_of_rights(folder, say)
    with locking_run(folder):
        record = Record(folder, say)
        log = OutputLog(folder.output, folder.older_output, warn=_warn_of_log(folder, say))
        events = record.events()
        _bury(record, events)
        orders = _build_orders(options, record.last_orders() if resumed else None, events)
        record.add(
            RunStarted(
                time=now(),
                id=folder.id,
                command=command.as_given,
                python=command.python,
                working_directory=str(Path.cwd()),
                fitguard=_VERSION,
                resumed=resumed is not None,
                seed=orders.seed,
            )
        )
        yield Claim(command, folder, record, log, orders)


def _find_run_to_resume(
    command: Command | None, options: RunOptions, runs_folder: Path
) -> KnownRun | None:
    if options.resume is None:
        return None
    if options.resume == NEWEST:
        return find_newest(runs_folder, command, str(Path.cwd()))
    return find_by_id(runs_folder, options.resume)


def _require_same_command(command: Command | None, run: KnownRun) -> Command:
    """The command of a run that is resumed: another one would not be the same training.

    Raises:
        UsageError: where it is another one, or this is another folder.
    """
    words, place = run.started.command, run.started.working_directory
    if place != str(Path.cwd()):
        raise UsageError(
            f"Received --resume {run.folder.id} in {Path.cwd()}, but that run was started in "
            f"{place}. Expected the same folder: cd {place}"
        )
    if command is None:
        return parse(words)
    if command.as_given != words:
        raise UsageError(
            f"Received --resume {run.folder.id} with `{' '.join(command.as_given)}`, but that run "
            f"was started with `{' '.join(words)}`. Expected the same command, or none"
        )
    return command


def _create_folder(runs_folder: Path, command: Command) -> RunFolder:
    """A new folder.

    Raises:
        UsageError: where it cannot be made.
    """
    folder = RunFolder(runs_folder / make_id(command))
    try:
        create_runs_folder(runs_folder)
        folder.path.mkdir(FOLDER_MODE)
        sync_folder(runs_folder)
        sync_folder(runs_folder.parent)
    except OSError as error:
        raise UsageError(
            f"Received {runs_folder} as the folder for runs: {error.strerror}. Expected one that "
            "can be written: fitguard run --runs-folder FOLDER …"
        ) from error
    return folder


def _warn_of_rights(folder: RunFolder, say: Callable[[str], None]) -> None:
    """The folder was made a moment ago: what is wrong with it comes from the file system."""
    if problem := find_distrust(folder.path):
        say(
            f"{folder.path} was made for you alone, but the file system shows that {problem}. "
            "Others may be able to read and change this run. To continue it, or to see it with "
            "`fitguard report` and `fitguard runs`, you will need --trust-folder"
        )


def _warn_of_log(folder: RunFolder, say: Callable[[str], None]) -> Callable[[OSError], None]:
    def warn(error: OSError) -> None:
        say(f"{folder.output}: {error.strerror}. The training goes on; its output is not kept.")

    return warn


def _bury(record: Record, events: Sequence[AnyEvent]) -> None:
    """Write down the end of an attempt whose parent died, and make sure that it has ended."""
    started = {event.attempt: event for event in events if isinstance(event, AttemptStarted)}
    ended = {event.attempt for event in events if isinstance(event, AttemptEnded)}
    for number, event in started.items():
        if number not in ended:
            _end_orphan(event.pid, record.folder)
            last = _read_last_place(record.folder) if number == max(started) else Place()
            record.add(AttemptEnded(time=now(), attempt=number, outcome="lost", last=last))


def _read_last_place(folder: RunFolder) -> Place:
    with contextlib.suppress(OSError, ValueError):
        heartbeat = Heartbeat(folder.heartbeat)
        try:
            return heartbeat.read().place
        finally:
            heartbeat.close()
    return Place()


def _end_orphan(pid: int, folder: RunFolder) -> None:
    """It should have died with its parent: two trainings in one folder would spoil it."""
    until = time.monotonic() + _ORPHAN_SECONDS
    while _trains_in(pid, folder):
        if time.monotonic() > until:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.1)


def _trains_in(pid: int, folder: RunFolder) -> bool:
    """Whether this is still the process that was meant: numbers are used again."""
    with contextlib.suppress(OSError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        return os.fsencode(folder.path) in words
    return False


def _build_orders(options: RunOptions, before: Orders | None, events: Sequence[AnyEvent]) -> Orders:
    """For the next attempt: what the last one was told, and what the user wants now."""
    seeds = [event.seed for event in events if isinstance(event, RunStarted)]
    orders = before or Orders(seed=seeds[0] if seeds else secrets.randbits(_SEED_BITS))
    sizes = {EVERY_FIT: options.micro_batch} if options.micro_batch else orders.micro_batches
    return msgspec.structs.replace(
        orders,
        attempt=1 + max((event.attempt for event in events), default=0),
        micro_batches=sizes,
        exact_only=options.exact_only,
        snapshot_seconds=options.snapshot_seconds,
        disk_bytes=options.disk_bytes,
        plan=options.plan,
        require_guard=options.require_guard,
    )
