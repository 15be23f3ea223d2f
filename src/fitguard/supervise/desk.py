"""What all attempts of a run share: the run itself, its user, and the way to both."""

import os
import queue
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from fitguard.monitor.run_folder import RunFolder
from fitguard.supervise.command import Command
from fitguard.supervise.company import Company
from fitguard.supervise.inbox import Inbox
from fitguard.supervise.lease import HeldLease
from fitguard.supervise.options import RunOptions
from fitguard.supervise.orphans import Orphans
from fitguard.supervise.output_log import OutputLog
from fitguard.supervise.preemption import measure_grace
from fitguard.supervise.record import Record
from fitguard.supervise.standard_input import StandardInput

if TYPE_CHECKING:
    from fitguard.supervise.spot import SpotWatch

Cancel = Literal["interrupt", "interrupted", "leave", "time-over", "kill"]
"""How a run is ended from another thread.

`interrupt`: the training gets SIGINT, as with Ctrl-C. `interrupted`: it has got one already, with
all of the process group. `leave`: it takes a snapshot first, and
with `time-over` as well. `kill`: at once.
"""

LEAVING: dict[Cancel, str] = {"leave": "asked to stop", "time-over": "the minutes are over"}
"""Those that let it save first, and why it is to go."""


@dataclass(frozen=True)
class Desk:
    """The parent's place of work.

    Args:
        say: Tells the user one line.
        stdout: Where the training's output goes, as `stderr`.
        company: Whom it trains together with.
    """

    command: Command
    options: RunOptions
    folder: RunFolder
    record: Record
    log: OutputLog
    inbox: Inbox
    lease: HeldLease
    orphans: Orphans
    stdin: StandardInput
    company: Company
    say: Callable[[str], None]
    stdout: int = 1
    stderr: int = 2
    spot: "SpotWatch | None" = None
    cancels: "queue.SimpleQueue[Cancel]" = field(default_factory=queue.SimpleQueue)

    @property
    def environment(self) -> Mapping[str, str]:
        """What the training finds in it, without what orders add."""
        own = self.command.environment
        return os.environ if own is None else own

    def measure_grace(self) -> float:
        """Seconds that a training has which is asked to leave now."""
        notice = self.spot.notice if self.spot is not None else None
        end = notice.end if notice is not None else None
        return measure_grace(
            self.options.grace_seconds, os.environ, time.time(), end, is_init=os.getpid() == 1
        )

    def take_cancels(self) -> Iterator[Cancel]:
        """What other threads asked since the last time."""
        while True:
            try:
                yield self.cancels.get_nowait()
            except queue.Empty:
                return
