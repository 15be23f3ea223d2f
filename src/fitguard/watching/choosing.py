"""Which run is watched."""

from pathlib import Path

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.lock import seems_guarded
from fitguard.supervise.past_runs import find_run
from fitguard.supervise.runs import find_runs


def choose_run(run: str | Path | None, runs_folder: Path) -> RunFolder:
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
