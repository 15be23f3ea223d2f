"""The cheapest way that fits."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import cached_property

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.broadcasts import shrink_broadcasts
from fitguard.memory.recomputing.edit import Edit, editing
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.gathered import measure_gathered, read_past_gatherings
from fitguard.memory.recomputing.graph import run_on_paper
from fitguard.memory.recomputing.ordering import order_backward_pass
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

    Args:
        nodes: The step.
        is_compiled: By XLA, which orders and fuses operations by itself.
        is_alone: Whether no other device shares the step: their orders would have to agree.

    Attributes:
        whole_bytes: What the step takes as it is.
    """

    def __init__(
        self, nodes: Sequence[Node], *, is_compiled: bool = False, is_alone: bool = True
    ) -> None:
        self._nodes = nodes
        self._is_compiled = is_compiled
        self._is_alone = is_alone
        order = run_on_paper(nodes)
        self.whole_bytes = order.peak_bytes
        self._expense = sum(map(expense, order.nodes)) or 1.0

    def choose(self, share: float, of_bytes: int = 0) -> Recomputation | None:
        """The cheapest that takes at most this share of what the step takes as it is.

        Where nothing takes so little, the one that takes least; None where nothing can be won.

        Args:
            of_bytes: What a whole step takes, where these are the nodes of another one, such as
                that of the last batch, which is smaller.
        """
        most_bytes = int(share * (of_bytes or self.whole_bytes))
        if self.whole_bytes <= most_bytes:
            return Recomputation((), self.whole_bytes, self.whole_bytes, 0.0)
        for search in self._searches:
            found = search.find_fitting(most_bytes)
            if found is not None:
                return found
        least = min(
            (search.find_least() for search in self._searches), key=lambda way: way.peak_bytes
        )
        return least if least.peak_bytes <= _WON * self.whole_bytes else None

    @cached_property
    def _searches(self) -> list[Search]:
        if self._is_compiled or not self._is_alone:
            return [self._search([])]
        early: list[_Change] = [read_past_gatherings, shrink_broadcasts]
        waiting = measure_gathered(self._nodes)
        tried = (early[1:], early) if waiting > _FEW * self.whole_bytes else (early[1:],)
        return [self._search(changes) for changes in tried]

    def _search(self, changes: Sequence[_Change]) -> Search:
        edits = list[Edit]()
        edited = self._nodes
        with ExitStack() as stack:
            for change in changes:
                edits.append(change(edited))
                edited = stack.enter_context(editing(edited, edits[-1]))
            if changes:
                edits.append(order_backward_pass(edited, self.whole_bytes))
        arranged = tuple(edit for edit in edits if edit != Edit())
        return Search(self._nodes, arranged, self.whole_bytes, self._expense)
