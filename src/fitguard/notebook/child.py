"""The training process of a notebook: what both kinds of work share."""

import contextlib
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

from fitguard.keras.fitting.step import before_leaving
from fitguard.notebook.feed.receiving import numbering_iterators
from fitguard.notebook.parcel.building import remembering_batches
from fitguard.notebook.prepared_fits import Names, preparing_fits
from fitguard.notebook.request import Visit
from fitguard.notebook.settings import write_settings


def begin_visit(folder: Path) -> Visit:
    """What the kernel sent, in the surroundings that the kernel had."""
    # The kernel is interrupted with all of its group: it decides what that means for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Names of the user's must not meet those of the program that runs this.
    main = ModuleType("__main__")
    sys.modules["__main__"] = main
    visit = Visit(folder, main)
    visit.forget_answer()
    wanted = visit.surroundings["path"]
    sys.path[:] = [*wanted, *(path for path in sys.path if path not in wanted)]
    write_settings(visit.surroundings["settings"])
    return visit


@contextlib.contextmanager
def running_user_code(
    visit: Visit, global_names: Names, answer: Callable[[], None]
) -> Iterator[None]:
    """Inside, the user's code runs.

    Args:
        global_names: Whose values belong into snapshots.
        answer: Sends back what there is, where the user interrupts.
    """

    def answer_early() -> None:
        try:
            answer()
        except Exception:  # the snapshot is there, and the kernel says how to go on with it
            traceback.print_exc()

    before_leaving.append(answer_early)
    try:
        with (
            remembering_batches(),
            numbering_iterators(),
            preparing_fits(visit.late_states, global_names),
        ):
            yield
    finally:
        before_leaving.remove(answer_early)
