"""Runs that are not needed any more, removed."""

import contextlib
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from fitguard.memory.sizes import size_bytes
from fitguard.monitor.gang_folder import remove_deserted_gangs
from fitguard.monitor.lease_files import LASTS_SECONDS
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.run import RunState
from fitguard.schema.run_list import RunLine
from fitguard.supervise.lease import leasing_run
from fitguard.supervise.lock import locking_run
from fitguard.supervise.past_runs import find_run, list_folders, summarize_run

_REMOVING = ".removing-"
"""Begins the name of a folder that is on its way out: it is no run any more."""
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_AGE = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)\s*([smhdw])")


class PrunedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run that was removed, or would be.

    Args:
        id: The name of its folder.
        disk_bytes: That its folder took.
        why_not: Why it could not be removed; empty where it was.
    """

    id: str
    state: RunState
    disk_bytes: int
    why_not: str = ""


class _Run(NamedTuple):
    """A folder, and what its journal says; not where it lies, which is for the folder to say."""

    folder: RunFolder
    line: RunLine

    @property
    def last_sign(self) -> float:
        return self.line.started + self.line.seconds


def prune_runs(
    *runs: str,
    runs_folder: str | Path = RUNS,
    older_than: str | float | None = None,
    larger_than: str | int | None = None,
    keep: int | None = None,
    finished: bool = False,
    dry_run: bool = False,
) -> tuple[PrunedRun, ...]:
    """Remove runs with all their files; what was removed, the oldest first.

    Of runs that you do not name, those go that meet all conditions you give. A run that is running
    is never removed. The newest run that is not finished is removed only if you name it.

    Args:
        *runs: Ids, or parts of them that no other has.
        runs_folder: Where the runs lie.
        older_than: Nothing happened in it for so long: `"30d"`, `"12h"`, `"2w"`, or seconds.
        larger_than: Its folder takes more: `"5GB"`, or bytes.
        keep: The newest so many stay.
        finished: Only those whose script came to its end.
        dry_run: Remove nothing: only say what would go.

    Example:
        >>> fitguard.prune_runs(older_than="30d", finished=True, dry_run=True)

    Raises:
        UsageError: for an id that no run has, for a size or an age that is none, and where nothing
            says which runs are meant.
    """
    age = None if older_than is None else read_age(older_than)
    least_bytes = None if larger_than is None else size_bytes(larger_than, "larger_than")
    if keep is not None and keep < 0:
        raise UsageError(f"Received keep={keep}. Expected the number of runs that stay, 0 or more")
    by_rule = bool(older_than is not None or larger_than is not None or keep is not None)
    if not runs and not by_rule and not finished:
        raise UsageError(
            "Received nothing that says which runs to remove. Expected the id of a run, "
            "--older-than, --larger-than, --keep or --finished"
        )
    if not dry_run:
        _clear_leftovers(Path(runs_folder))
    known = sorted(_read_all(runs_folder), key=lambda run: (run.line.started, run.folder.id))
    named = {_find_named(run, runs_folder, known) for run in runs}
    chosen = set()
    if by_rule or finished:
        chosen = {run.folder.id for run in _select(known, age, keep, finished=finished)}
    pruned = []
    for run in known:
        taken = _measure(run.folder.path)
        large = least_bytes is None or taken > least_bytes
        if run.folder.id in named or (run.folder.id in chosen and large):
            pruned.append(_prune(run, taken, dry_run=dry_run))
    if not dry_run:
        remove_deserted_gangs(Path(runs_folder))
    return tuple(pruned)


def read_age(given: str | float) -> float:
    """The seconds of an age such as `30d`.

    Raises:
        UsageError: where it is none.
    """
    if isinstance(given, int | float) and not isinstance(given, bool) and given >= 0:
        return float(given)
    match = _AGE.fullmatch(str(given).strip().lower())
    if match is None:
        raise UsageError(
            f"Received older_than={given!r}. Expected an age such as 30d, 12h or 2w (s, m, h, d, w)"
        )
    return float(match[1]) * _UNITS[match[2]]


def _find_named(name: str, runs_folder: str | Path, known: Sequence[_Run]) -> str:
    """The id of a run that is meant; one that lies elsewhere is not."""
    path = find_run(name, runs_folder).path.resolve()
    for run in known:
        if run.folder.path.resolve() == path:
            return run.folder.id
    raise UsageError(
        f"Received {name}, which is no run in {runs_folder} that can be read. Expected one of "
        "`fitguard runs`"
    )


def _read_all(runs_folder: str | Path) -> Iterator[_Run]:
    for folder in list_folders(runs_folder):
        with contextlib.suppress(UnreadableInput):
            yield _Run(folder, summarize_run(folder))


def _select(
    runs: Sequence[_Run], age: float | None, keep: int | None, *, finished: bool
) -> Iterator[_Run]:
    """Those that meet the conditions, the size apart; `runs` the newest last."""
    unfinished = [run for run in runs if run.line.state not in ("finished", "running")]
    spared = [*unfinished[-1:], *(runs[-keep:] if keep else ())]
    for run in runs:
        if run.line.state == "running" or run in spared:
            continue
        if finished and run.line.state != "finished":
            continue
        if age is None or time.time() - run.last_sign > age:
            yield run


def _prune(run: _Run, disk_bytes: int, *, dry_run: bool) -> PrunedRun:
    why_not = ""
    if run.line.state == "running":
        why_not = "it is running"
    elif run.folder.path.is_symlink():
        why_not = "its folder is a link"
    elif not dry_run:
        why_not = _remove(run.folder)
    return PrunedRun(id=run.folder.id, state=run.line.state, disk_bytes=disk_bytes, why_not=why_not)


def _remove(folder: RunFolder) -> str:
    """Remove a run that nobody guards; why that cannot be, else nothing."""
    removing = folder.path.with_name(_REMOVING + folder.id)
    try:
        with (
            locking_run(folder) as locked,
            leasing_run(folder, LASTS_SECONDS, locked=locked, say=lambda _: None),
        ):
            folder.path.rename(removing)
            shutil.rmtree(removing)
    except UsageError:
        return "it is running"
    except UnreadableInput as error:
        return str(error)
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _clear_leftovers(runs_folder: Path) -> None:
    """What an earlier prune did not get to the end of."""
    with contextlib.suppress(OSError):
        for left in runs_folder.glob(f"{_REMOVING}*"):
            if not left.is_symlink():
                shutil.rmtree(left)


def _measure(folder: Path) -> int:
    """What a folder takes; links are not followed."""
    taken = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                taken += Path(path, name).lstat().st_size
    return taken
