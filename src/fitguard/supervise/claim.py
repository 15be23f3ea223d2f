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
from fitguard.schema.gang import GangOrders
from fitguard.schema.journal import (
    EVERY_FIT,
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    Orders,
    RunStarted,
)
from fitguard.schema.run import Place
from fitguard.schema.run_command import (
    describe_resume,
    is_soak,
    list_fixed_words,
    name_starter,
)
from fitguard.supervise.choosing import choose_run, find_unfinished
from fitguard.supervise.command import EXPECTED, Command, parse, require_utf8
from fitguard.supervise.lease import HeldLease, leasing_run
from fitguard.supervise.lease_owner import has_our_numbers
from fitguard.supervise.lock import locking_run
from fitguard.supervise.naming import make_id
from fitguard.supervise.options import AUTO, RunOptions
from fitguard.supervise.output_log import OutputLog
from fitguard.supervise.record import Record
from fitguard.supervise.runs import KnownRun, read_known_run
from fitguard.supervise.telling import describe_start

# The package is loaded, and an import of it would be one of all rooms.
_VERSION: str = sys.modules["fitguard"].__version__
_SEED_BITS = 31
_ORPHAN_SECONDS = 1.0


@dataclass(frozen=True)
class Claim:
    """A run that this process guards from now on.

    Args:
        orders: For its next attempt.
        lease: By which other hosts know of us.
    """

    command: Command
    folder: RunFolder
    record: Record
    log: OutputLog
    orders: Orders
    lease: HeldLease


@contextlib.contextmanager
def claiming_run(
    command: Command | None,
    options: RunOptions,
    say: Callable[[str], None],
    seed: int | None = None,
) -> Iterator[Claim]:
    """Hold a run, new or resumed.

    Args:
        seed: Of a new run; None to draw one.

    Raises:
        UsageError: where there is none to resume, another process holds it, or nothing can be
            written.
        UnreadableInput: where others could have written what the run would obey.
    """
    runs_folder = options.runs_folder.absolute()
    require_utf8(str(Path.cwd()), "the working directory")
    require_utf8(str(runs_folder), "the folder for runs")
    require_safe_parent(runs_folder, trust_folder=options.trust_folder)
    resumed = choose_run(command, options, runs_folder)
    if resumed is not None:
        require_trusted(resumed.folder.path, trust_folder=options.trust_folder)
        command = _require_same_command(command, resumed)
        folder = resumed.folder
    elif command is None:
        raise UsageError(f"Received no command. {EXPECTED}")
    else:
        earlier = find_unfinished(runs_folder, command, Path.cwd())
        if earlier is not None and options.name is None:
            say(
                f"an earlier run of this command is not finished; this is a new run. To continue "
                f"the earlier one: {describe_resume(earlier.folder.id, earlier.started.command)}"
            )
        name = options.name or make_id(command)
        require_trusted(runs_folder / name, trust_folder=options.trust_folder)
        folder = _create_folder(runs_folder, name, name_starter(command.as_given))
        _warn_of_rights(folder, say)
    with (
        locking_run(folder) as locked,
        leasing_run(folder, options.lease_seconds, locked=locked, say=say) as lease,
    ):
        if resumed is None:
            _require_new(folder)
        record = Record(folder, say, lease.require)
        log = OutputLog(folder.output, folder.older_output, warn=_warn_of_log(folder, say))
        events = record.events()
        _bury(record, events, on_this_machine=lease.before is None or has_our_numbers(lease.before))
        before = record.last_orders() if resumed else None
        if before is not None and before.gang is not None and options.gang is None:
            raise _refuse_alone(folder, before.gang)
        orders = msgspec.structs.replace(
            _build_orders(options, before, events, seed), lease=lease.number
        )
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
        if not options.quiet and (resumed is not None or options.resume == AUTO):
            started_in = resumed.started.working_directory if resumed is not None else None
            say(describe_start(folder.id, started_in, str(Path.cwd()), os.environ))
        yield Claim(command, folder, record, log, orders, lease)


def _require_same_command(command: Command | None, run: KnownRun) -> Command:
    """The command of a run that is resumed: another one would not be the same training.

    Raises:
        UsageError: where it is another one, or this is another folder.
    """
    words, place = run.started.command, run.started.working_directory
    if not run.belongs_to(Path.cwd()):
        raise UsageError(
            f"Received --resume {run.folder.id} in {Path.cwd()}, but that run was started in "
            f"{place}. Expected the same folder: cd {place}"
        )
    if command is None and is_soak(words):
        raise UsageError(
            f"Received --resume {run.folder.id}, which is a soak and no training. Expected: "
            f"{describe_resume(run.folder.id, words)}"
        )
    if command is None:
        return parse(words)
    if list_fixed_words(command.as_given) != list_fixed_words(words):
        raise UsageError(
            f"Received --resume {run.folder.id} with `{' '.join(command.as_given)}`, but that run "
            f"was started with `{' '.join(words)}`. Expected the same command, or none"
        )
    return command


def _refuse_alone(folder: RunFolder, gang: GangOrders) -> UsageError:
    name = folder.id.removesuffix(f"-worker-{gang.worker}")
    return UsageError(
        f"Received --resume {folder.id}, which is worker {gang.worker} of {gang.workers} that "
        f"train together. Expected all of them: fitguard run --workers {gang.workers} "
        f"--resume={name}, or on each machine --gang {name} --resume=auto"
    )


def _require_new(folder: RunFolder) -> None:
    """Only who holds the lock knows whether somebody else was quicker.

    Raises:
        UsageError: where the folder holds a run by now.
    """
    if read_known_run(folder) is not None:
        raise UsageError(
            f"Received the name {folder.id}, under which another process began a run just now. "
            "Expected a name of its own, or --resume=auto once that one has ended"
        )


def _create_folder(runs_folder: Path, name: str, starter: str) -> RunFolder:
    """A new folder; one of this name in which no run was begun is taken.

    Raises:
        UsageError: where it cannot be made, or holds what a run has left that cannot be read.
    """
    folder = RunFolder(runs_folder / name)
    if folder.snapshots.is_dir() and any(folder.snapshots.iterdir()):
        raise UsageError(
            f"Received the name {name}, but {folder.path} holds snapshots, and the beginning of "
            "the journal beside them is lost: nobody can tell which command they belong to. "
            f"Expected another name, or that you move them away: mv {folder.path} SOMEWHERE"
        )
    try:
        create_runs_folder(runs_folder)
        folder.path.mkdir(FOLDER_MODE, exist_ok=True)
        sync_folder(runs_folder)
        sync_folder(runs_folder.parent)
    except OSError as error:
        raise UsageError(
            f"Received {runs_folder} as the folder for runs: {error.strerror}. Expected one that "
            f"can be written: {starter} --runs-folder FOLDER …"
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


def _bury(record: Record, events: Sequence[AnyEvent], *, on_this_machine: bool) -> None:
    """Write down the end of an attempt whose parent died, and make sure that it has ended.

    Args:
        on_this_machine: It ran here: elsewhere its number is another process, or none.
    """
    started = {event.attempt: event for event in events if isinstance(event, AttemptStarted)}
    ended = {event.attempt for event in events if isinstance(event, AttemptEnded)}
    for number, event in started.items():
        if number not in ended:
            if on_this_machine:
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


def draw_seed() -> int:
    """For random sources that have none of their own; the same in all attempts of a run."""
    return secrets.randbits(_SEED_BITS)


def _build_orders(
    options: RunOptions, before: Orders | None, events: Sequence[AnyEvent], seed: int | None
) -> Orders:
    """For the next attempt: what the last one was told, and what the user wants now."""
    seeds = [event.seed for event in events if isinstance(event, RunStarted)]
    first = draw_seed() if seed is None else seed
    orders = before or Orders(seed=seeds[0] if seeds else first)
    sizes = {EVERY_FIT: options.micro_batch} if options.micro_batch else orders.micro_batches
    return msgspec.structs.replace(
        orders,
        attempt=1 + max((event.attempt for event in events), default=0),
        parent=os.getpid(),
        micro_batches=sizes,
        exact_only=options.exact_only,
        allow=options.allow,
        snapshot_seconds=options.snapshot_seconds,
        disk_bytes=options.disk_bytes,
        memory_limit_bytes=options.memory_limit_bytes,
        plan=options.plan,
        require_guard=options.require_guard,
        preempt_signals=options.preempt_signals,
        profile=options.profile,
        worker_heartbeat_seconds=options.worker_heartbeat_seconds,
        collective_seconds=options.collective_seconds,
    )
