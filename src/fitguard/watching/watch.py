"""A training, looked at again and again."""

import time
from collections.abc import Iterator
from pathlib import Path

from fitguard.monitor.run_folder import RUNS
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.watch import Watch
from fitguard.watching.choosing import choose
from fitguard.watching.glance import Glance
from fitguard.watching.process_glance import ProcessGlance

EVERY_SECONDS = 1.0
_LEAST_SECONDS = 0.05
_REST = 10
"""Between two looks, so many times as long as a look takes."""


def watch(
    run: str | Path | int | None = None,
    *,
    every_seconds: float = EVERY_SECONDS,
    runs_folder: str | Path = RUNS,
    trust_folder: bool = False,
) -> Iterator[Watch]:
    """Look at a training while it runs: how far it is, how fast, its memory, what was found.

    The last document is that of its end. Nothing is changed: you can stop at any time.

    Args:
        run: Its id or a part of it that no other has, `last`, its folder, or the number of a
            process; by default the newest run that is running, else the newest.
        every_seconds: Between two looks, at least.
        runs_folder: Where ids are looked for.
        trust_folder: Read it though others own its folder or may write to it.

    Example:
        >>> for moment in fitguard.watch():
        ...     print(moment.place.total_steps, moment.values.get("allocator_peak_bytes"))

    Raises:
        UsageError: for a run or a process that there is not, or that is another user's.
        UnreadableInput: where its folder is gone, or could be that of others.
    """
    if not every_seconds >= _LEAST_SECONDS:
        raise UsageError(
            f"Received {every_seconds:g} s between two looks. Expected at least {_LEAST_SECONDS} s"
        )
    chosen = choose(run, Path(runs_folder))
    if isinstance(chosen, int):
        return _look_until_end(ProcessGlance(chosen), every_seconds)
    return _look_until_end(Glance(chosen, trust_folder=trust_folder), every_seconds)


def _look_until_end(glance: Glance | ProcessGlance, every_seconds: float) -> Iterator[Watch]:
    try:
        while True:
            begun = time.monotonic()
            moment = glance.look()
            took = time.monotonic() - begun
            yield moment
            if moment.state != "running":
                return
            # A journal of months takes long to read: looking must not take the training's cores.
            time.sleep(max(every_seconds, took * _REST))
    finally:
        glance.close()
