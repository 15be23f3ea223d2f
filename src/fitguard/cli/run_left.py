"""What a guarded run that died has left for `fitguard explain`."""

import contextlib
from pathlib import Path
from typing import NamedTuple

from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.journal import AttemptEnded, Noted


class GuardedRunLeft(NamedTuple):
    """The end of a run.

    Args:
        output: The last megabytes of what it wrote.
        exit_code: Of its last process, as `signal`; None where nobody saw it end.
        unguarded: What it said is not guarded.
    """

    id: str
    output: bytes
    exit_code: int | None
    signal: str | None
    unguarded: tuple[str, ...] = ()


def left_by(path: Path) -> GuardedRunLeft | None:
    """What a run has left in its folder; None where that is none."""
    folder = RunFolder(path)
    if not folder.journal.is_file():
        return None
    parts = []
    for file in (folder.older_output, folder.output):
        with contextlib.suppress(FileNotFoundError):
            parts.append(file.read_bytes())
    events = Journal(folder.journal).read()
    ends = [event for event in events if isinstance(event, AttemptEnded)]
    notes = [event for event in events if isinstance(event, Noted)]
    last = ends[-1] if ends else None
    return GuardedRunLeft(
        folder.id,
        b"".join(parts),
        last.exit_code if last else None,
        last.signal if last else None,
        tuple(note.text for note in notes if note.kind == "unguarded"),
    )


def died_last(runs_folder: Path = Path(RUNS)) -> GuardedRunLeft | None:
    """What the last run here has left; None where there is none, or it finished or runs."""
    if not runs_folder.is_dir():
        return None
    from fitguard.supervise.past_runs import LAST, find_run, read_run

    try:
        run = read_run(LAST, runs_folder=runs_folder)
        if run.state in ("finished", "running"):
            return None
        return left_by(find_run(LAST, runs_folder).path)
    except (UsageError, UnreadableInput):
        return None
