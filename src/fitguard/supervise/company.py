"""Whom a run has to wait for, and to tell how it ends: nobody, unless it is a worker of a gang."""

from typing import TYPE_CHECKING, Literal

import msgspec

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.saved_place import Saved, read_saved
from fitguard.schema.gang import Ended
from fitguard.schema.journal import AnyEvent, Orders
from fitguard.schema.run import Run, RunState
from fitguard.schema.run_command import describe_resume

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fitguard.supervise.deciding import Next
    from fitguard.supervise.departure import Departure
    from fitguard.supervise.live_attempt import Observation
    from fitguard.supervise.pausing import Asked, Pause
    from fitguard.supervise.postmortem import Postmortem


class Company:
    """That of a run which trains alone. `GangMember` is that of a worker.

    gather                  wait for all, agree on the start
        look, wish          while it trains
    note_exit               tell at once that the training has ended
    judge                   whose fault it was
    follow, tell_decision   what comes next
    await_others            this one has finished: have they?
    close                   the run ends here

    Attributes:
        environment: Variables that the training gets.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._own_folder = folder
        self.environment: dict[str, str] = {}

    def gather(self, orders: Orders, pause: "Pause") -> "Orders | Ended | Asked":  # noqa: ARG002
        """Wait until all are ready.

        Returns:
            Orders to begin with; or how the run ends instead: as another one has ended it, or as
            the user asks.
        """
        return orders

    def look(self, heartbeat: Heartbeat, departure: "Departure") -> None:
        """Called often while the training runs."""

    def wish(self, wish: Literal["snapshot", "leave"], heartbeat: Heartbeat) -> None:
        """Ask for a snapshot, and to leave after it."""
        heartbeat.wish(wish)

    def note_exit(self, seen: "Observation") -> None:
        """The training has ended; why is to be found out."""

    def judge(
        self,
        seen: "Observation",  # noqa: ARG002
        postmortem: "Postmortem",
        events: "Sequence[AnyEvent]",  # noqa: ARG002
        pause: "Pause",  # noqa: ARG002
    ) -> "Postmortem":
        """How it ended, when the others are asked."""
        return postmortem

    def follow(self, orders: Orders, postmortem: "Postmortem") -> "Next | None":
        """What comes next where the policy need not be asked; None where it has to be.

        An error stops a run, but not one that XLA may owe to what it was given.
        """
        if not postmortem.distrusted:
            return None
        # Loaded only now: a run without a fault needs none of the policy.
        from fitguard.supervise.deciding import Next

        following = msgspec.structs.replace(orders, attempt=orders.attempt + 1)
        text = (
            f"Attempt {orders.attempt} ended with an error before its first step. XLA had begun "
            f"with {postmortem.distrusted}: it starts again without them."
        )
        return Next(action="restart", orders=following, text=text)

    def tell_decision(self, following: "Next") -> None:
        """What this run has decided."""

    def find_saved(self) -> Saved | None:
        """What the run goes on from."""
        return read_saved(self._own_folder.snapshots)

    def await_others(self, pause: "Pause") -> "Literal['finished'] | Asked | None":  # noqa: ARG002
        """This one has finished: wait for the others; None where all begin again."""
        return "finished"

    def describe_resume(self, run: Run) -> str:
        """What to type to go on."""
        return describe_resume(run.id, run.command)

    def close(self, state: RunState, exit_code: int) -> None:
        """The run ends here."""
