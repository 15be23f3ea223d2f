"""`fitguard runs`."""

import contextlib
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError

RunsFolder = Annotated[
    Path, Parameter(alias="--runs", help=f"Where the folders of the runs lie; default: {RUNS}.")
]


def runs(*, runs_folder: RunsFolder = Path(RUNS), output: Output = PLAIN_OUTPUT) -> None:
    """Which runs are there, and how do they stand?

    One line for each guarded run, the newest first; in JSON, the newest last. A run that is cut off
    has lost its parent or its machine: `fitguard run --resume` continues it. As HTML, each run is a
    link to its page, which is written into its folder.

    For example:

        fitguard runs
        fitguard runs --output runs.html
        fitguard runs --runs-folder /data/fitguard-runs --format json
    """
    from fitguard.supervise.past_runs import list_runs

    listed = list_runs(runs_folder)
    if output.form == "html":
        for run in listed.runs:
            _write_page(run.id, runs_folder, output)
    show(listed, output)


def _write_page(run: str, runs_folder: Path, output: Output) -> None:
    """The page that the list links to; where it cannot be written, the list is still shown."""
    from fitguard.supervise.past_runs import read_run

    with contextlib.suppress(UsageError, UnreadableInput):
        document = read_run(run, runs_folder=runs_folder)
        page = RunFolder(Path(document.folder)).report
        show(document, Output(format="html", output=page, show_private=output.show_private))
