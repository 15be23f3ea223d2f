"""Where the forward pass is cut. What is alive at a cut is kept, so nothing reaches across it."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.graph import (
    SMALL_BYTES,
    Order,
    Output,
    list_uses,
    size_of_output,
)
from fitguard.memory.recomputing.repeatable import is_repeatable

_PARTS = 5
"""In how many parts of a segment another cut is looked for."""
_SEARCHED = 0.35
"""How far from an even spacing a narrow place is looked for, as a part of the spacing."""


@dataclass(frozen=True)
class Stash:
    """What waits at the peak for those that read it later: mostly for the backward pass.

    Args:
        order: A run on paper.
    """

    order: Order

    @cached_property
    def places(self) -> dict[Node, int]:
        """When each node runs."""
        return {node: place for place, node in enumerate(self.order.nodes)}

    @cached_property
    def uses(self) -> dict[Output, list[Node]]:
        """Who reads each output."""
        return list_uses(self.order.nodes)

    @cached_property
    def outputs(self) -> list[Output]:
        """In the order in which they are made."""
        return [
            output
            for node in self.order.nodes[: self.order.peak]
            for output in ((node, index) for index in range(len(node.sizes)))
            if size_of_output(output) and self.later_uses(output)
        ]

    def later_uses(self, output: Output) -> list[Node]:
        """Those that read it after the peak."""
        peak, places = self.order.peak, self.places
        return [node for node in self.uses.get(output, ()) if places[node] > peak]

    def earlier_end(self, output: Output) -> int:
        """When it is read for the last time up to the peak; -1 if never."""
        peak, places = self.order.peak, self.places
        reads = [places[node] for node in self.uses.get(output, ())]
        return max((place for place in reads if place <= peak), default=-1)

    @cached_property
    def _spans(self) -> list[tuple[Output, int, int]]:
        """Outputs of the forward pass: when each is made, and read for the last time in it."""
        spans = []
        for place, node in enumerate(self.order.nodes[: self.order.peak + 1]):
            for index in range(len(node.sizes)):
                end = self.earlier_end((node, index))
                if end > place and size_of_output((node, index)):
                    spans.append(((node, index), place, end))
        return spans

    @cached_property
    def _widths(self) -> list[int]:
        """Bytes that are alive after each node of the forward pass for the rest of that pass."""
        changes = [0] * (self.order.peak + 2)
        for output, start, end in self._spans:
            changes[start] += size_of_output(output)
            changes[end] -= size_of_output(output)
        return list(accumulate(changes))

    def choose_cuts(self, number: int) -> list[int]:
        """About so many places with the same bytes of the stash between them, each a narrow one."""
        if not self.outputs:
            return []
        places = [self.places[node] for node, _ in self.outputs]
        done = list(accumulate(map(size_of_output, self.outputs)))
        spacing = done[-1] / (number + 1)
        cuts = list[int]()
        for index in range(1, number + 1):
            first = bisect_left(done, (index - _SEARCHED) * spacing)
            last = bisect_left(done, (index + _SEARCHED) * spacing)
            near = places[first : last + 1]
            cuts.append(min(near, key=self._widths.__getitem__))
        return sorted(set(cuts))

    def list_cuts_between(self, first: int, last: int) -> list[int]:
        """Narrow places in what runs from one place to the other: one in each part of it."""
        found = list[int]()
        spacing = (last - first) / _PARTS
        for part in range(_PARTS):
            begin = first + part * spacing
            near = [
                place
                for node, _ in self.outputs
                if begin < (place := self.places[node]) < begin + spacing
            ]
            found += [min(near, key=self._widths.__getitem__)] if near else []
        return found

    def list_alive(self, cuts: Sequence[int]) -> set[Output]:
        """What is alive at one of these places, and is read again before the peak.

        Not what is made of nothing, as random numbers are: TensorFlow makes it long before it is
        read, and it can be made again at any place.
        """
        return {
            output
            for output, start, end in self._spans
            if any(start <= cut < end for cut in cuts) and output[0] not in self._made_of_nothing
        }

    @cached_property
    def _made_of_nothing(self) -> set[Node]:
        found: set[Node] = set()
        for node in self.order.nodes:
            large = [given for given in node.inputs if size_of_output(given) >= SMALL_BYTES]
            if is_repeatable(node) and all(producer in found for producer, _ in large):
                found.add(node)
        return found
