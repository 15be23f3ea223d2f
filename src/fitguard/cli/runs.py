"""`fitguard runs`."""

import contextlib
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.run_page import TrustFolder, write_page
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError

RunsFolder = Annotated[
    Path, Parameter(alias="--runs", help=f"Where the folders of the runs lie; default: {RUNS}.")
]


runs = App(name="runs")
runs.command("fitguard.cli.prune:prune")


@runs.default
def show_runs(
    *,
    runs_folder: RunsFolder = Path(RUNS),
    trust_folder: TrustFolder = False,
    output: Output = PLAIN_OUTPUT,
) -> None:
    """Which runs are there, and how do they stand?

    One line for each guarded run, the newest first; in JSON, the newest last. A run that is cut off
    has lost its parent or its machine: `fitguard run --resume` continues it, and `fitguard probe
    --resume` a soak. As HTML, each run is a link to its page, which is written into its folder.

    For example:

        fitguard runs
        fitguard runs --output runs.html
        fitguard runs --runs-folder /data/fitguard-runs --format json
    """
    from fitguard.supervise.past_runs import list_runs, read_run

    listed = list_runs(runs_folder, trust_folder=trust_folder)
    if output.form == "html":
        for run in listed.runs:
            # Where the page that the list links to cannot be written, the list is still shown.
            with contextlib.suppress(UsageError, UnreadableInput, OSError):
                found = read_run(run.id, runs_folder=runs_folder, trust_folder=trust_folder)
                page = RunFolder(Path(found.folder)).report
                write_page(found, page, show_private=output.show_private)
    show(listed, output)
