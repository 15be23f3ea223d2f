"""The order of the backward pass that takes least memory.

TensorFlow runs what is ready in the order in which it became ready. So two branches of a network
go back side by side, and a large gradient is made while another one waits for a small sum. Here,
what frees memory runs first, and one branch is finished before the next one begins:

    while operations are ready:
        one that takes no more than it frees, or else the one that became ready last
"""

from collections.abc import Sequence

from fitguard.memory.graph import kernels
from fitguard.memory.graph.buffers import Ledger, Value
from fitguard.memory.graph.execution import Execution, Ready
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.operations import Operations, find_reusable_buffer
from fitguard.memory.recomputing.edit import Edit
from fitguard.memory.recomputing.graph import SMALL_BYTES, size_of_output
from fitguard.memory.recomputing.repeatable import is_backward

_LARGE = 1 / 128
"""What an operation must read or write to have a place in the order, as a part of the step."""
_CONDITIONS = frozenset(("Switch", "_SwitchN", "RefSwitch"))


def order_backward_pass(nodes: Sequence[Node], peak_bytes: int) -> Edit:
    """Large operations of the backward pass wait for the one before them in that order.

    Args:
        peak_bytes: What the step takes as it is.
    """
    ledger = Ledger()
    large = max(_LARGE * peak_bytes, SMALL_BYTES)
    execution = _Frugal(list(nodes), ledger, Operations(ledger, {}), large)
    execution.run()
    edit = Edit()
    if execution.has_conditions:
        # Who waits for what is not computed is not computed either.
        return edit
    before = None
    for node in filter(is_backward, execution.in_order):
        if before is not None and all(producer is not before for producer, _ in node.inputs):
            edit.waits[node] = [before]
        before = node
    return edit


class _Frugal(Execution):
    """Takes what is small at once, and of what is large first what frees memory.

    Args:
        large_bytes: What a large operation reads or writes at least.

    Attributes:
        in_order: The large operations, but for those inside of loops.
        has_conditions: Whether some are computed only in some steps, loops aside.
    """

    def __init__(
        self, nodes: list[Node], ledger: Ledger, operations: Operations, large_bytes: float
    ) -> None:
        super().__init__(nodes, ledger, operations)
        self._large = {node for node in nodes if _most_bytes(node) >= large_bytes}
        self.in_order: list[Node] = []
        self.has_conditions = False

    def take(self) -> Ready:
        """What is large waits behind all that is small."""
        node, tag, _, _ = self.queue[0]
        self.has_conditions |= node.op in _CONDITIONS and not tag
        if node not in self._large:
            return self.queue.popleft()
        chosen = len(self.queue) - 1
        for place, (node, _, values, _) in enumerate(self.queue):
            if _takes_no_more_than_it_frees(node, values):
                chosen = place
                break
        ready = self.queue[chosen]
        del self.queue[chosen]
        node, tag, _, _ = ready
        if not tag:
            self.in_order.append(node)
        return ready

    def enqueue(self, ready: Ready) -> None:
        """Small ones in front."""
        if ready[0] in self._large:
            self.queue.append(ready)
        else:
            self.queue.appendleft(ready)


def _most_bytes(node: Node) -> int:
    if node.op in kernels.VIEWS:
        return 0
    given = (size_of_output(output) for output in node.inputs)
    return max(*given, *(size.at(1) for size in node.sizes), 0, 0)


def _takes_no_more_than_it_frees(node: Node, values: list[Value]) -> bool:
    taken = sum(size.at(1) for size in kernels.temporary(node))
    in_place, kept = kernels.IN_PLACE.get(node.op), None
    for index, size in enumerate(node.sizes):
        if index == in_place and (kept := find_reusable_buffer(values, size)) is not None:
            continue
        taken += size.at(1)
    last = {value.buffer for value in values if value.buffer and value.buffer.references == 1}
    return taken <= sum(buffer.size.at(1) for buffer in last if buffer is not kept)
