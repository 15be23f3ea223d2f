"""`fitguard runs`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.monitor.run_folder import RUNS

RunsFolder = Annotated[
    Path, Parameter(alias="--runs", help=f"Where the folders of the runs lie; default: {RUNS}.")
]


def runs(*, runs_folder: RunsFolder = Path(RUNS), output: Output = PLAIN_OUTPUT) -> None:
    """Which runs are there, and how do they stand?

    One line for each guarded run, the newest last. A run that is cut off has lost its parent or its
    machine: `fitguard run --resume` goes on with it.

    For example:

        fitguard runs
        fitguard runs --runs-folder /data/fitguard-runs --format json
    """
    from fitguard.supervise.past_runs import list_runs

    show(list_runs(runs_folder), output)
