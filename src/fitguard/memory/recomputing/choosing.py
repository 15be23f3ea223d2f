"""The cheapest way that fits."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.broadcasts import shrink_broadcasts
from fitguard.memory.recomputing.edit import Edit, editing
from fitguard.memory.recomputing.gathered import measure_gathered, read_past_gatherings
from fitguard.memory.recomputing.ordering import order_backward_pass
from fitguard.memory.recomputing.paper import Paper
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.search import Search

_WON = 0.95
"""What is left at most, where something is won: all else costs a new trace for nothing."""
_FEW = 0.02
"""Gradients that are a smaller part of the step are gathered as ever: to search takes seconds."""
_Change = Callable[[Sequence[Node]], Edit]


class Ways:
    """The ways to take a step. Each is tried on paper once, however often one is chosen.

    What costs no time comes first: small values in place of their copies, and a backward pass in
    the order that takes least. Where all that does not suffice, updates do not wait for each other
    either. Weights that are updated while much else is in memory may get a place that is larger
    than they are, so that is not done without need.

    XLA orders and fuses operations by itself, and the orders of several devices that share a step
    would have to agree: there, all that is left out.

    Args:
        paper: The step.
    """

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    @property
    def whole_bytes(self) -> int:
        """What the step needs as it is."""
        return self._paper.whole_bytes

    def choose(self, share: float, of_bytes: int = 0) -> Recomputation | None:
        """The cheapest that runs in this share of what the step needs as it is.

        Where nothing runs in so little, the one that needs least; None where nothing can be won.

        Args:
            of_bytes: What a whole step needs, where these are the nodes of another one, such as
                that of the last batch, which is smaller.
        """
        most_bytes = int(share * (of_bytes or self.whole_bytes))
        if self.whole_bytes <= most_bytes:
            return Recomputation((), self.whole_bytes, self.whole_bytes, 0.0)
        for search in self._searches:
            found = search.find_fitting(most_bytes)
            if found is not None:
                return found
        return self._least if self._least.needed_bytes <= _WON * self.whole_bytes else None

    @cached_property
    def _least(self) -> Recomputation:
        found = (search.find_least() for search in self._searches)
        return min(found, key=lambda way: way.needed_bytes)

    @cached_property
    def _searches(self) -> list[Search]:
        if not self._paper.in_pieces:
            return [Search(self._paper, ())]
        early: list[_Change] = [read_past_gatherings, shrink_broadcasts]
        waiting = measure_gathered(self._paper.nodes)
        tried = (early[1:], early) if waiting > _FEW * self.whole_bytes else (early[1:],)
        return [Search(self._paper, self._arrange(changes)) for changes in tried]

    def _arrange(self, changes: Sequence[_Change]) -> tuple[Edit, ...]:
        edits = list[Edit]()
        edited = self._paper.nodes
        with ExitStack() as stack:
            for change in changes:
                edits.append(change(edited))
                edited = stack.enter_context(editing(edited, edits[-1]))
            edits.append(order_backward_pass(edited, self.whole_bytes))
        return tuple(edit for edit in edits if edit != Edit())
