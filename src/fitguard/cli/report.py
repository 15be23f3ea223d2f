"""`fitguard report`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, complain, show
from fitguard.cli.run_page import TrustFolder, write_page
from fitguard.cli.runs import RunsFolder
from fitguard.monitor.run_folder import RUNS, RunFolder
from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.report.registry import Document


def report(
    run: Annotated[
        str,
        Parameter(
            name="ID|FOLDER",
            help="The id of a run or a part of it that no other has, last, the folder of a run, a "
            "run.json, or the folder of all runs. Default: last.",
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
    """What happened in a run, or in all runs of a folder?

    Made anew out of the journal of the run, also while it runs and after its parent died. Without
    --format and --output it prints a summary, and writes the page into the folder of the run, as
    report.html: timeline, every metric, learning rate, speed and memory.

    Of a folder of runs, as `fitguard fleet run` leaves it, the page shows all of them: what came of
    each, on which card it was and when, what ended its attempts.

    For example:

        fitguard report
        fitguard report 20261115-142500-train-4f2a
        fitguard report last --format html --output run.html
        fitguard report fitguard-runs/
    """
    if _holds_runs(Path(run)):
        _report_all(Path(run), output, trust_folder=trust_folder, verbose=verbose)
        return
    from fitguard.supervise.past_runs import read_run

    document = read_run(run, runs_folder=runs_folder, trust_folder=trust_folder)
    show(document, output, verbose=verbose)
    if output.format is None and output.output is None and not Path(run).is_file():
        page = RunFolder(Path(document.folder)).report
        _write_page(document, page, show_private=output.show_private)


def _holds_runs(folder: Path) -> bool:
    """Whether it is no run itself, but the folder of several."""
    return folder.is_dir() and not RunFolder(folder).journal.exists()


def _report_all(folder: Path, output: Output, *, trust_folder: bool, verbose: bool) -> None:
    from fitguard.cli.progress import bar
    from fitguard.supervise.all_runs import read_runs

    with bar("reading") as tell:
        found = read_runs(folder, trust_folder=trust_folder, tell=tell or (lambda *_: None))
    if not found.runs and not found.unreadable:
        raise UsageError(
            f"Received {folder}, which holds no runs. Expected a run, its folder, or that of all "
            "runs"
        )
    show(found, output, verbose=verbose)
    if output.format is None and output.output is None:
        _write_page(found, RunFolder(folder).report, show_private=output.show_private)


def _write_page(document: "Document", page: Path, *, show_private: bool) -> None:
    """Beside the journal; where that cannot be, the summary was still shown."""
    try:
        write_page(document, page, show_private=show_private)
    except OSError as error:
        complain(f"the page could not be written into {page.parent}: {error.strerror}")
        return
    sys.stdout.flush()
    complain(f"page: {page}")
