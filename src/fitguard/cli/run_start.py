"""Where `fitguard run` has read its options: one worker is guarded, or all are started."""

import contextlib
import functools
import os
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.cli.run import say
from fitguard.schema.exit_codes import ExitCode
from fitguard.supervise.choosing import AlreadyFinished
from fitguard.supervise.command import Command
from fitguard.supervise.guarding import guard
from fitguard.supervise.lease import AlreadyGuarded
from fitguard.supervise.options import AUTO, RunOptions


def start(
    command: Command | None, options: RunOptions, workers: int | None, given: Mapping[str, Any]
) -> int:
    """Train, and return the exit code.

    Args:
        workers: That are to be started here; None for one.
        given: The options of `fitguard run`, by name, that were set.
    """
    place = options.gang
    who = f" [worker {place.worker}]" if place is not None else ""
    tell = functools.partial(say, who=who)
    try:
        if workers is not None and place is None:
            # Loaded only now: most trainings have one worker.
            from fitguard.cli.run_gang import lead_workers

            return lead_workers(command, workers, options, given, say)
        with _opening_streams(shown=options.is_shown) as (stdout, stderr):
            return guard(command, options, say=tell, stdout=stdout, stderr=stderr).exit_code
    except AlreadyFinished as finished:
        tell(str(finished))
        return ExitCode.FINE
    except AlreadyGuarded as guarded:
        if options.resume != AUTO:
            raise
        tell(str(guarded))
        return options.preempt_exit_code


@contextlib.contextmanager
def _opening_streams(*, shown: bool) -> Iterator[tuple[int, int]]:
    """Where the output of the training goes; what is not shown is in its log."""
    if shown:
        yield 1, 2
        return
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    try:
        yield nowhere, nowhere
    finally:
        os.close(nowhere)
