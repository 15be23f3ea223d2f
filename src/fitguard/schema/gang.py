"""A gang: several guarded runs that train one model together, each of them a *worker*.

    round   all workers train at once from one agreed place; one that ends badly ends it for all
    member  a worker that trains in a round: all do, unless the user allows fewer
    set     the snapshots of all workers at one place; only a complete set is ever restored
    call    "take a snapshot at this step", said to all before they get there

Workers tell each other what they do in small files, in a folder that all of them see.
"""

from typing import Literal

import msgspec

GANG_SCHEMA: Literal["fitguard/gang/1"] = "fitguard/gang/1"

Want = Literal["nothing", "snapshot", "leave"]
"""What a worker wants all to do: take a snapshot at one step, or take it and leave."""


class SavedPlace(msgspec.Struct, frozen=True, array_like=True):
    """Where a snapshot was taken: the same numbers on all workers mean the same step.

    Args:
        fit: Number of the `fit` call.
        steps: Of that call; 0 for an end, whose name does not tell.
        end: The call has ended.
    """

    fit: int
    steps: int = 0
    end: bool = False

    @property
    def order(self) -> tuple[int, bool, int]:
        """The higher, the further on it is."""
        return (self.fit, self.end, self.steps)

    def __lt__(self, other: "SavedPlace") -> bool:
        return self.order < other.order

    def __le__(self, other: "SavedPlace") -> bool:
        return self.order <= other.order


class GangOrders(msgspec.Struct, frozen=True, kw_only=True):
    """What a training process is told that is one of several.

    Args:
        round: From 1.
        worker: From 0.
        workers: How many there are.
        start: The snapshot to begin from, exactly this; None to begin anew.
        members: The workers that train, in order; empty for all.
    """

    round: int
    worker: int
    workers: int
    start: SavedPlace | None = None
    members: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many train."""
        return len(self.members) or self.workers

    @property
    def is_first(self) -> bool:
        """Whether it speaks for all: one clock decides when snapshots are due."""
        return self.worker == min(self.members, default=0)


class GangPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What all workers of a gang have in common; the first one writes it.

    Args:
        seed: For random sources that have none of their own.
    """

    schema: Literal["fitguard/gang/1"] = GANG_SCHEMA
    name: str
    workers: int
    command: tuple[str, ...]
    seed: int


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """A worker can begin a round.

    Args:
        life: Drawn once by each parent: one that comes back has another.
        network: Workers with the same one reach each other as 127.0.0.1.
        address: `host:port` under which the others reach its training.
        given: The address comes from TF_CONFIG, which is passed on as it is.
        saved: The snapshots that it has.
        least: So few workers it goes on with; 0 where all must be there.
    """

    worker: int
    life: str
    host: str = ""
    network: str = ""
    address: str
    given: bool = False
    saved: tuple[SavedPlace, ...] = ()
    least: int = 0


class Members(msgspec.Struct, frozen=True, kw_only=True):
    """Who trains in a round, and from where; the first who writes it decides for all.

    Args:
        workers: Their numbers, in order.
        left_at: Up to where each of the others was there: from then on, a snapshot of the same
            step is of another training.
    """

    workers: tuple[int, ...]
    start: SavedPlace | None = None
    left_at: dict[int, SavedPlace | None] = {}


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a round ended for one worker.

    Args:
        outcome: As in the journal; `lost` where its parent died.
        judged: Whether it is known by now why. Until then, it is only known to be over.
        fallout: It ended because another one did.
        left: It took the snapshot that was called for, and went.
        stop: The worker gives up, and so do all.
        exit_code: Of the run, where it stops.
        text: How it ended, for people: `was killed with SIGKILL`.
        decision: What the worker does about it, in one line.
        error: What the training itself said of its end.
        time: Seconds since 1970 by the clock of that host.
    """

    worker: int
    outcome: str
    judged: bool = True
    fallout: bool = False
    left: bool = False
    stop: bool = False
    exit_code: int = 0
    cause: str = ""
    text: str = ""
    decision: str = ""
    error: str = ""
    time: float = 0.0


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker wants all to do; `number` counts up with each.

    Args:
        missed: Number of the call to leave that it heard of too late; 0 for none.
    """

    worker: int
    want: Want
    number: int = 1
    missed: int = 0


class Called(msgspec.Struct, frozen=True, kw_only=True):
    """Where all are to take a snapshot; worker 0 says it."""

    place: SavedPlace
    leave: bool = False
    number: int = 1
