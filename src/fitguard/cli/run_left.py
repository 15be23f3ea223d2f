"""What a guarded run has left for `fitguard explain`."""

import contextlib
from pathlib import Path
from typing import NamedTuple

from fitguard.monitor.journal import Journal
from fitguard.monitor.regular_files import read_end
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.journal import (
    UNGUARDED,
    AttemptEnded,
    AttemptStarted,
    FitBegan,
    Noted,
    RunStarted,
)
from fitguard.schema.run import RunState


class GuardedRunLeft(NamedTuple):
    """The end of a run.

    Args:
        path: Its folder.
        output: The last megabytes of what it wrote.
        exit_code: Of its last process, as `signal`; None where nobody saw it end.
        unguarded: What it said is not guarded.
        command: As the user typed it.
        batch_size: Of its last `fit`, where that is known.
        is_cut_off: Nobody saw it end: its parent was killed, or the machine went down.
        measured: What its flight record tells of the last minutes.
    """

    id: str
    path: Path
    output: bytes
    exit_code: int | None
    signal: str | None
    unguarded: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    batch_size: int | None = None
    is_cut_off: bool = False
    measured: tuple[str, ...] = ()


class LastRun(NamedTuple):
    """The run here that something happened in last."""

    id: str
    state: RunState
    path: Path


def read_run_folder(path: Path, *, trust_folder: bool = False) -> GuardedRunLeft | None:
    """What a run has left in its folder; None where that is none.

    Raises:
        UnreadableInput: where the journal cannot be read, or others could have written it.
    """
    folder = RunFolder(path)
    if not folder.journal.is_file():
        return None
    from fitguard.monitor.last_moments import read_last_moments
    from fitguard.monitor.trust import require_trusted
    from fitguard.supervise.output_log import MOST_BYTES

    require_trusted(folder.path, trust_folder=trust_folder)
    parts = []
    for file in (folder.older_output, folder.output):
        with contextlib.suppress(OSError):
            parts.append(read_end(file, MOST_BYTES))
    try:
        events = Journal(folder.journal).read()
    except OSError as error:
        raise UnreadableInput(f"{folder.journal}: {error.strerror}") from error
    ends = [event for event in events if isinstance(event, AttemptEnded)]
    notes = [event for event in events if isinstance(event, Noted)]
    starts = [event for event in events if isinstance(event, RunStarted)]
    fits = [event for event in events if isinstance(event, FitBegan)]
    begun = {event.attempt for event in events if isinstance(event, AttemptStarted)}
    is_cut_off = bool(begun - {event.attempt for event in ends})
    last = ends[-1] if ends and not is_cut_off else None
    number = max((event.attempt for event in events), default=1)
    return GuardedRunLeft(
        id=folder.id,
        path=folder.path,
        output=b"".join(parts),
        exit_code=last.exit_code if last else None,
        signal=last.signal if last else None,
        unguarded=tuple(note.text for note in notes if note.kind == UNGUARDED),
        command=starts[-1].command if starts else (),
        batch_size=fits[-1].batch_size if fits else None,
        is_cut_off=is_cut_off,
        measured=tuple(moment.text for moment in read_last_moments(folder, number)),
    )


def read_run_by_id(
    run: str, runs_folder: Path = Path(RUNS), *, trust_folder: bool = False
) -> GuardedRunLeft | None:
    """The same by the id of a run or its beginning, or `last`; None where no run here has it.

    Raises:
        UsageError: where several runs begin so.
    """
    from fitguard.supervise.past_runs import LAST, find_run

    names = [entry.name for entry in runs_folder.iterdir()] if runs_folder.is_dir() else []
    if not any(name.startswith(run) or run == LAST for name in names):
        return None
    return read_run_folder(find_run(run, runs_folder).path, trust_folder=trust_folder)


def last_run(runs_folder: Path = Path(RUNS), *, trust_folder: bool = False) -> LastRun | None:
    """The last run here; None where there is none that can be read."""
    if not runs_folder.is_dir():
        return None
    from fitguard.supervise.past_runs import LAST, find_run, read_run

    try:
        path = find_run(LAST, runs_folder).path
        run = read_run(path, trust_folder=trust_folder)
    except (UsageError, UnreadableInput):
        return None
    return LastRun(run.id, run.state, path)
