"""A step on paper, as it is and edited: how much memory it needs."""

from collections.abc import Sequence

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.shelves import NO_SHELVES, Shelves, list_kinds
from fitguard.memory.graph.updates import Handles
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.graph import Order, run_on_paper


class Paper:
    """A step, and how its memory is given to it.

    Args:
        nodes: Of the step as it is.
        handles: The nodes that stand for variables.
        in_pieces: Whether TensorFlow's allocator serves its values one by one, all in one room.
            XLA asks for all of its memory at once. Of a step that several devices share, only the
            part of one is known here.

    Attributes:
        whole_bytes: What the step needs as it is.
        expense: How long it takes.
    """

    def __init__(
        self, nodes: Sequence[Node], handles: Handles | None = None, *, in_pieces: bool = True
    ) -> None:
        self.nodes = nodes
        self._handles = handles
        self.in_pieces = in_pieces
        self.whole_bytes = self.measure_least(nodes, NO_SHELVES)
        self.expense = sum(map(expense, self._run(nodes).nodes)) or 1.0

    def find_shelves(self, edited: Sequence[Node], most_bytes: int) -> Shelves | None:
        """Those with which the edited step runs in so much memory; None where it does not."""
        order = self._run(edited)
        if not self.in_pieces:
            return NO_SHELVES if order.peak_bytes <= most_bytes else None
        return order.find_shelves(most_bytes)

    def find_least(self, edited: Sequence[Node]) -> tuple[int, Shelves]:
        """The least memory in which the edited step runs, and the shelves for that."""
        order = self._run(edited)
        if not self.in_pieces:
            return order.peak_bytes, NO_SHELVES
        kinds = list_kinds(order.peak_bytes)
        needed = list(map(order.measure_least, kinds))
        return min(needed), kinds[needed.index(min(needed))]

    def measure_least(self, edited: Sequence[Node], shelves: Shelves) -> int:
        """The least memory in which the edited step runs with these shelves."""
        order = self._run(edited)
        return order.measure_least(shelves) if self.in_pieces else order.peak_bytes

    def _run(self, edited: Sequence[Node]) -> Order:
        return run_on_paper(edited, self._handles)
