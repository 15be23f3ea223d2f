"""`fitguard watch`."""

import contextlib
import itertools
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.cli.run_page import TrustFolder
from fitguard.cli.runs import RunsFolder
from fitguard.cli.whole_numbers import WHOLE
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.schema.fleet import Fleet
    from fitguard.schema.watch import Watch


@Parameter(name="*")
@dataclass(frozen=True)
class Web:
    """Where the page is served."""

    web: Annotated[
        bool, Parameter(negative="", help="Show a page in your browser, with all runs.")
    ] = False
    port: Annotated[
        int, WHOLE, Parameter(help="Port of the page; by default one that is free.")
    ] = 0
    host: Annotated[
        str,
        Parameter(help="Address that it listens at; default: 127.0.0.1, only for this machine."),
    ] = "127.0.0.1"


NO_WEB = Web()


def watch(
    run: Annotated[
        str | None,
        Parameter(
            name="ID|FOLDER|PID",
            help="The id of a run or a part of it that no other has, last, the folder of a run, or "
            "the number of a process. Default: the newest run that is running, else the newest.",
        ),
    ] = None,
    /,
    *,
    json: Annotated[
        bool, Parameter(negative="", help="A line of JSON for each look, for programs.")
    ] = False,
    web: Web = NO_WEB,
    metrics: Annotated[
        str | None,
        Parameter(
            help="[HOST:]PORT where Prometheus finds the metrics of all runs, or of the one that "
            "is named; without HOST, only from this machine."
        ),
    ] = None,
    once: Annotated[bool, Parameter(negative="", help="Look once.")] = False,
    every: Annotated[float, Parameter(help="Seconds between two looks; default: 1.")] = 1.0,
    runs_folder: RunsFolder = Path(RUNS),
    trust_folder: TrustFolder = False,
    show_private: Annotated[
        bool, Parameter(negative="", help="Keep home folders, user and host names, serials.")
    ] = False,
) -> None:
    """How is the training doing?

    Shows a run while it runs: how far it is, how fast, how long it will take, its memory, what
    fitguard found and decided, and the end of its output. It reads the files of the run and changes
    nothing; Ctrl-C ends the watching, never the training. Without a terminal it looks once.

    For example:

        fitguard watch
        fitguard watch --web
        fitguard watch --metrics 9402
        fitguard watch 20261115-142500-train-4f2a --json
    """
    if metrics is not None:
        if json or once or web.web:
            raise UsageError(
                "Received --metrics with --json, --once or --web. Expected it alone: start another "
                "fitguard watch for each"
            )
        from fitguard.cli.watch_metrics import serve_metrics

        with contextlib.suppress(KeyboardInterrupt):
            serve_metrics(metrics, run, runs_folder, trust_folder=trust_folder)
        return
    from fitguard.watching.watch import watch as look

    moments = look(run, every_seconds=every, runs_folder=runs_folder, trust_folder=trust_folder)
    with contextlib.suppress(KeyboardInterrupt):
        if web.web:
            _serve(next(moments), web, every, trust_folder, show_private)
            return
        shown = moments if show_private else _redact(moments)
        if json:
            write_lines(itertools.islice(shown, 1) if once else shown)
        else:
            print_moments(shown, once=once or not sys.stdout.isatty())


def _redact(moments: "Iterator[Watch]") -> "Iterator[Watch]":
    from fitguard.report.privacy.redaction import redact_here

    return map(redact_here, moments)


def write_lines(moments: "Iterator[Watch | Fleet]") -> None:
    """A line of JSON for each."""
    from fitguard.report.formats.json_text import to_json_line

    for moment in moments:
        sys.stdout.write(to_json_line(moment))
        sys.stdout.flush()


def print_moments(moments: "Iterator[Watch | Fleet]", *, once: bool) -> None:
    """Draw them on the whole terminal, and leave the last one there; or print the first only."""
    from fitguard.cli.console import Output, show
    from fitguard.cli.live_screen import show_live

    last = next(moments) if once else show_live(moments)
    show(last, Output(show_private=True))  # what is private is out already


def _serve(
    moment: "Watch", web: Web, seconds: float, trust_folder: bool, show_private: bool
) -> None:
    from fitguard.cli.console import complain
    from fitguard.schema.exit_codes import UsageError
    from fitguard.watching.web.board import Board
    from fitguard.watching.web.serving import serve

    if not moment.folder:
        raise UsageError(
            f"Received --web with process {moment.pid}, which fitguard does not guard. Expected a "
            f"run; `fitguard watch {moment.pid}` shows the process on a terminal"
        )
    folder = Path(moment.folder).absolute()
    board = Board(
        folder.parent,
        folder.name,
        seconds=seconds,
        trust_folder=trust_folder,
        show_private=show_private,
    )

    def tell(address: str) -> None:
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        complain("Open this address in your browser. Ctrl-C ends the page, never the training")

    serve(board, tell, host=web.host, port=web.port)
