"""Several workers that train together: what their guards tell each other, and their children."""

import msgspec


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
    """What the training process of one worker is told of the others.

    Args:
        round: All workers train at once from one place; the number of that try.
        worker: Which one this is, from 0.
        workers: How many there are.
        start: The snapshot to go on from: all workers have it. None to begin anew.
    """

    round: int
    worker: int
    workers: int
    start: SavedPlace | None = None
