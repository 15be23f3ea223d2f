"""Which run is watched, or which process."""

import os
from pathlib import Path

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.supervise.lock import seems_guarded
from fitguard.supervise.past_runs import find_run, fold_folder
from fitguard.supervise.runs import find_runs

_BOOTSTRAP = b"fitguard.keras.bootstrap"
_MOST_DIGITS = 7
"""Linux numbers processes up to 4,194,304; a longer number is a part of the id of a run."""


def choose(run: str | Path | int | None, runs_folder: Path) -> RunFolder | int:
    """The run that is meant, or the number of a process that nobody guards.

    Raises:
        UsageError: for a run that there is not.
    """
    if run is None or not _is_number(str(run)):
        return choose_run(run if run is None else str(run), runs_folder)
    pid = int(str(run))
    for known in find_runs(runs_folder):
        if known.folder.id == str(run):
            return known.folder
        if known.state == "running" and pid in (known.holder, _find_training(known.folder)):
            return known.folder
    return _find_folder(pid) or pid


def _find_folder(pid: int) -> RunFolder | None:
    """The run of a guarded training, wherever its folder lies: its command line names it."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        folder = RunFolder(Path(os.fsdecode(words[words.index(_BOOTSTRAP) + 1])))
    except (OSError, ValueError, IndexError):
        return None
    return folder if folder.journal.is_file() else None


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MOST_DIGITS


def _find_training(folder: RunFolder) -> int:
    try:
        attempts = fold_folder(folder).attempts
    except UnreadableInput:
        return 0
    return attempts[-1].pid if attempts else 0


def choose_run(run: str | None, runs_folder: Path) -> RunFolder:
    """The run that is meant; without one, the newest that is running, else the newest.

    Raises:
        UsageError: for a run that there is not.
    """
    if run is not None:
        return find_run(run, runs_folder)
    newest = None
    for known in find_runs(runs_folder):
        if known.state == "running" or seems_guarded(known.folder):
            return known.folder
        newest = newest or known
    if newest is None:
        raise UsageError(
            f"There are no runs in {runs_folder}. Expected the id or the folder of a run, the "
            "number of a process, or --runs-folder; `fitguard run train.py` starts a run"
        )
    return newest.folder
