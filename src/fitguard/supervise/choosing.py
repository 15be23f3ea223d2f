"""Which run is meant: a new one, or one that goes on."""

from pathlib import Path

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.run_command import describe_resume
from fitguard.supervise.command import Command
from fitguard.supervise.lease import AlreadyGuarded
from fitguard.supervise.naming import require_name
from fitguard.supervise.options import AUTO, NEWEST, RunOptions
from fitguard.supervise.runs import KnownRun, find_runs, read_known_run

_SHOWN = 5


class AlreadyFinished(UsageError):
    """The run that was to go on, if it is there, has nothing left to do."""


def choose_run(command: Command | None, options: RunOptions, runs_folder: Path) -> KnownRun | None:
    """The run to go on with; None to begin a new one.

    Raises:
        AlreadyFinished: where `AUTO` finds the run of this name at its end.
        UsageError: where there is none to go on with, or the name is taken.
    """
    name, resume = options.name, options.resume
    if name is not None:
        require_name(name)
        if resume not in (None, NEWEST, AUTO, name):
            raise UsageError(
                f"Received --resume={resume} and --name {name}, which are two runs. Expected one "
                f"of them: --resume --name {name}"
            )
        if resume in (None, AUTO):
            return _choose_by_name(runs_folder, name, is_wanted=resume == AUTO)
        return find_by_id(runs_folder, name)
    if resume is None:
        return None
    if resume == AUTO:
        return _find_newest_if_any(runs_folder, command)
    if resume == NEWEST:
        return find_newest(runs_folder, command, Path.cwd())
    return find_by_id(runs_folder, resume)


def _choose_by_name(runs_folder: Path, name: str, *, is_wanted: bool) -> KnownRun | None:
    """The run of this name; None where there is none yet."""
    found = read_known_run(RunFolder(runs_folder / name))
    if found is None:
        return None
    if not is_wanted:
        how = {"finished": "is finished", "running": "is running"}.get(
            found.state, "is not finished"
        )
        raise UsageError(
            f"Received --name {name}, but {runs_folder} has a run of this name, which {how}. "
            "Expected a name of its own, or --resume=auto to continue that run"
        )
    if found.state == "finished":
        other = (
            ". Snapshots of another version of the script are kept; to go on with them: "
            f"{describe_resume(name, found.started.command)}"
            if found.folder.has_set_aside
            else ""
        )
        raise AlreadyFinished(
            f"the run {name} is finished, and nothing is left to do: fitguard report {name}{other}"
        )
    return _require_unguarded(found)


def _find_newest_if_any(runs_folder: Path, command: Command | None) -> KnownRun | None:
    """The newest run of a command; None where that is finished, or there is none."""
    place = Path.cwd()
    for run in find_runs(runs_folder):
        if run.is_meant(command, place):
            return None if run.state == "finished" else _require_unguarded(run)
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
    if found.state == "finished" and not found.folder.has_set_aside:
        raise UsageError(
            f"Received --resume {run_id}, which is finished. Expected a run with something left "
            f"to do; `fitguard report {run_id}` shows it, and without --resume a new run begins"
        )
    return _require_unguarded(found)


def _require_unguarded(run: KnownRun) -> KnownRun:
    if run.holder is not None:
        raise AlreadyGuarded(
            f"Received --resume {run.folder.id}, which process {run.holder} guards now. Expected "
            "a run that nobody guards"
        )
    return run


def find_newest(runs_folder: Path, command: Command | None, place: Path) -> KnownRun:
    """The newest run that can be resumed, of this command where one is given.

    Raises:
        UsageError: where there is none.
    """
    running = None
    for run in find_runs(runs_folder):
        if not run.is_meant(command, place):
            continue
        if run.resumable:
            return run
        if run.state == "running":
            running = run
    of_it = f" of `{' '.join(command.as_given)}`" if command is not None else ""
    why = f"; {running.folder.id} is running" if running else ""
    raise UsageError(
        f"Received --resume, but {runs_folder} holds no unfinished run{of_it}{why}. Expected one "
        "to go on with; without --resume, or with --resume=auto, a new run begins"
    )


def find_unfinished(runs_folder: Path, command: Command, place: Path) -> KnownRun | None:
    """The newest run of the same command, where it is worth resuming."""
    for run in find_runs(runs_folder):
        if run.is_of(command, place):
            return run if run.resumable and run.has_snapshot else None
    return None
