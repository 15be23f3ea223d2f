"""What is in memory while each kernel runs."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.kernels import Kernel, kernels
from fitguard.memory.xla.schedule import Dependencies, Order, orders
from fitguard.memory.xla.sizes import evaluate
from fitguard.memory.xla.updates import join_updates
from fitguard.memory.xla.workspace import workspace_bytes

NOT_IN_PLACE = frozenset(
    {"dot", "convolution", "reduce", "reduce-window", "sort", "custom-call", "index-rows"}
)
"""They still read their operands while they write: the result needs memory of its own."""

ALIGNMENT_BYTES = 256


@dataclass(frozen=True)
class Instant:
    """While one kernel runs.

    Args:
        bytes: Of all temporary values.
        live: Those values, by index in the graph.
        inside: What the body of a loop needs while it runs.
    """

    kernel: Kernel
    bytes: int
    live: frozenset[int]
    inside: int


class Timeline:
    """The temporary memory of a graph at one batch size, in the order that XLA would choose."""

    def __init__(self, graph: Graph, batch: int) -> None:
        self.graph = graph
        self.batch = batch
        self.kernels = join_updates(graph, kernels(graph, batch))
        self.inside = [self._inside(kernel) for kernel in self.kernels]
        self.sizes = _sizes(graph, self.kernels, batch, with_outputs=True)
        candidates = orders(Dependencies(self.kernels, self.sizes, self.inside))
        self.order: Order = min(
            candidates, key=lambda order: max(self._collect_held_bytes(order), default=0)
        )
        self.sizes = _sizes(graph, self.kernels, batch)

    def at(self, batch: int) -> "Timeline":
        """The same kernels in the same order at another batch size."""
        other = object.__new__(Timeline)
        other.graph, other.batch = self.graph, batch
        other.kernels, other.order = self.kernels, self.order
        other.sizes = _sizes(self.graph, self.kernels, batch)
        other.inside = [other._inside(kernel) for kernel in self.kernels]
        return other

    @cached_property
    def peak(self) -> Instant:
        """The dearest moment."""
        dearest = Instant(Kernel(0, (), ()), 0, frozenset(), 0)
        for index, (held, live) in zip(self.order, self._walk(self.order), strict=True):
            if held > dearest.bytes:
                dearest = self._instant(index, held, live)
        return dearest

    def instants(self) -> list[Instant]:
        """The whole step."""
        walked = zip(self.order, self._walk(self.order), strict=True)
        return [self._instant(index, held, live) for index, (held, live) in walked]

    def _instant(self, index: int, held: int, live: set[int]) -> Instant:
        return Instant(self.kernels[index], held, frozenset(live), self.inside[index])

    def _collect_held_bytes(self, order: Order) -> list[int]:
        return [held for held, _ in self._walk(order)]

    def _inside(self, kernel: Kernel) -> int:
        """What a kernel needs while it runs: the body of a loop, the workspace of a library."""
        operation = self.graph.operations[kernel.operation]
        bodies = (Timeline(body, self.batch).peak.bytes for body in operation.bodies)
        return max(bodies, default=workspace_bytes(self.graph, operation, self.batch))

    def _walk(self, order: Order) -> Iterator[tuple[int, set[int]]]:
        """Bytes and values while each kernel runs."""
        last = {
            value: position
            for position, index in enumerate(order)
            for value in self.kernels[index].reads
        }
        last.update((value, len(order)) for value in self.graph.outputs)
        live: set[int] = set()
        held = 0
        for position, index in enumerate(order):
            kernel = self.kernels[index]
            written = [value for value in kernel.writes if value in self.sizes]
            dying = [value for value in kernel.reads if value in live and last[value] == position]
            live.update(written)
            held += sum(self.sizes[value] for value in written)
            over = self._find_overwritten(kernel, written, dying)
            reused = sum(self.sizes[value] for value in over)
            yield held - reused + self.inside[index], live.difference(over)
            gone = dying + [value for value in written if value not in last]
            live.difference_update(gone)
            held -= sum(self.sizes[value] for value in gone)

    def _find_overwritten(self, kernel: Kernel, written: list[int], dying: list[int]) -> list[int]:
        """The operands which nobody needs any more and whose memory takes a result."""
        if self.graph.operations[kernel.operation].opcode in NOT_IN_PLACE:
            return []
        wanted = Counter(self.sizes[value] for value in written)
        over = []
        for value in dying:
            if wanted[self.sizes[value]] and not self._has_reduction(kernel, value):
                wanted[self.sizes[value]] -= 1
                over.append(value)
        return over

    def _has_reduction(self, kernel: Kernel, value: int) -> bool:
        """Whether the kernel reads this value and a reduction of it, as a softmax does.

        XLA makes one kernel of the two, which cannot write over what it reads.
        """
        return any(value in self.reductions.get(other, ()) for other in kernel.reads)

    @cached_property
    def reductions(self) -> dict[int, tuple[int, ...]]:
        """The values that each result of a reduction was computed from."""
        found: dict[int, tuple[int, ...]] = {}
        for kernel in self.kernels:
            if self.graph.operations[kernel.operation].opcode == "reduce":
                found.update((value, kernel.reads) for value in kernel.writes)
        return found


def _sizes(
    graph: Graph, found: list[Kernel], batch: int, *, with_outputs: bool = False
) -> dict[int, int]:
    """Of the values that need temporary memory: not of parameters and what overwrites them.

    Args:
        with_outputs: As XLA sees it while it orders the kernels: it does not know yet that an
            update overwrites its variable.
    """
    kept = set(graph.parameters)
    if not with_outputs:
        kept.update(graph.outputs[output] for output in graph.aliases)
    written = (value for kernel in found for value in kernel.writes)
    return {value: _round_size(graph, value, batch) for value in written if value not in kept}


def _round_size(graph: Graph, value: int, batch: int) -> int:
    size = evaluate(graph.values[value].bytes, batch)
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
