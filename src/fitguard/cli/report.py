"""`fitguard report`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, complain, show
from fitguard.cli.run_page import TrustFolder, write_page
from fitguard.cli.runs import RunsFolder
from fitguard.monitor.run_folder import RUNS

if TYPE_CHECKING:
    from fitguard.schema.run import Run


def report(
    run: Annotated[
        str,
        Parameter(
            name="ID|FOLDER",
            help="The id of a run or a part of it that no other has, last, the folder of a run, or "
            "a run.json. Default: last.",
        ),
    ] = "last",
    /,
    *,
    runs_folder: RunsFolder = Path(RUNS),
    trust_folder: TrustFolder = False,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="All attempts and decisions.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> None:
    """What happened in a run?

    Made anew out of the journal of the run, also while it runs and after its parent died. Without
    --format and --output it prints a summary, and writes the page into the folder of the run, as
    report.html: timeline, every metric, learning rate, speed and memory.

    For example:

        fitguard report
        fitguard report 20261115-142500-train-4f2a
        fitguard report last --format html --output run.html
    """
    from fitguard.supervise.past_runs import read_run

    document = read_run(run, runs_folder=runs_folder, trust_folder=trust_folder)
    show(document, output, verbose=verbose)
    if output.format is None and output.output is None and not Path(run).is_file():
        _write_page(document, show_private=output.show_private)


def _write_page(document: "Run", *, show_private: bool) -> None:
    """Beside the journal; where that cannot be, the summary was still shown."""
    try:
        page = write_page(document, show_private=show_private)
    except OSError as error:
        complain(f"the page could not be written into {document.folder}: {error.strerror}")
        return
    sys.stdout.flush()
    complain(f"page: {page}")
