"""What a training from a notebook begins and ends with, for a call and for a cell."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from fitguard.monitor.run_folder import create_runs_folder
from fitguard.notebook.feed.fed import Fed
from fitguard.notebook.kernel_gpu import child_environment
from fitguard.notebook.request import Request
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import Allowed
from fitguard.supervise.choosing import choose_run, find_by_id
from fitguard.supervise.command import Command
from fitguard.supervise.options import AUTO, NEWEST, RunOptions

_REQUESTS = ".requests"
_GRACE_SECONDS = 30.0
"""After an interrupt, until a training that takes no snapshot is ended."""
_left: dict[str, list[Fed]] = {}
"""The datasets of the run that was interrupted last, by its id: it may go on with their orders."""
GLOBAL = "global "
"""Before the names of global values that carried code used."""


def new_request(options: RunOptions) -> Request:
    """An empty one.

    Raises:
        UsageError: where it cannot be written.
    """
    folder = options.runs_folder.absolute()
    before = _left.get(str(options.resume), ())
    try:
        create_runs_folder(folder)
        return Request(folder / _REQUESTS, sys.modules["__main__"], before)
    except OSError as error:
        raise UsageError(
            f"Received {options.runs_folder} as the folder for runs: {error.strerror}. Expected "
            "one that can be written: fitguard.fit(…, runs_folder=FOLDER)."
        ) from error


def leave_open(request: Request, run: str) -> None:
    """Keep what a run that was interrupted needs to go on."""
    _left.clear()
    _left[run] = request.feed.datasets


def run_options(**options: Any) -> RunOptions:
    """How a training from a notebook is guarded.

    Raises:
        UsageError: for what nobody can allow, and where a run that was to go on cannot.
    """
    wanted = RunOptions(**options, grace_seconds=_GRACE_SECONDS, quiet=True)
    for word in wanted.allow:
        if word not in get_args(Allowed):
            raise UsageError(
                f"Received {word!r} as what is allowed. Expected {', '.join(get_args(Allowed))}."
            )
    if wanted.resume != AUTO:
        return wanted
    if wanted.name is None:
        raise UsageError(
            'Received resume="auto" without a name. Expected the name of the run to start, or to '
            'go on with: fitguard.fit(…, name="train-1", resume="auto").'
        )
    # What the run goes on with is looked up by its name before it is claimed.
    found = choose_run(None, wanted, wanted.runs_folder.absolute())
    return replace(wanted, resume=None if found is None else wanted.name)


def notebook_command(kind: str, given: str, request: Path, options: RunOptions) -> Command:
    """What the supervisor runs.

    Args:
        kind: `fit` or `cell`.
        given: What the journal tells; that of the run itself where one is resumed.
    """
    words: tuple[str, ...] = (given,)
    if options.resume not in (None, NEWEST):
        words = find_by_id(options.runs_folder, str(options.resume)).started.command
    return Command(
        python=sys.executable,
        target=("-m", f"fitguard.notebook.{kind}"),
        arguments=(str(request),),
        # A progress bar must come at once.
        interpreter_options=("-u",),
        given=words,
        environment=child_environment(),
    )


def take_globals(content: dict[str, Any]) -> None:
    """Bind global names to what carried code has left in them; most are the same object."""
    main = sys.modules["__main__"]
    for name, value in content.items():
        if name.startswith(GLOBAL):
            setattr(main, name.removeprefix(GLOBAL), value)
