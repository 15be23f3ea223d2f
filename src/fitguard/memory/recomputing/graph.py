"""A traced step as nodes, run on paper once."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from typing import Any

from fitguard.memory.graph.buffers import Ledger
from fitguard.memory.graph.execution import Execution
from fitguard.memory.graph.fitting import least_bytes, runs_within
from fitguard.memory.graph.nodes import Node, read_nodes
from fitguard.memory.graph.operations import Operations
from fitguard.memory.graph.shapes import shapes_by_name
from fitguard.memory.graph.shelves import Shelves, list_kinds
from fitguard.memory.graph.step import Run, make_variables
from fitguard.memory.graph.tidying import tidy_nodes
from fitguard.memory.graph.updates import Handles

SMALL_BYTES = 64 * 1024
"""What is kept in any case: means, variances, sizes."""

Output = tuple[Node, int]
"""A node, and which of its outputs."""


@dataclass(frozen=True)
class Order:
    """One run on paper.

    Args:
        nodes: In the order in which they ran.
        peak: Position of the node that ran when most memory was in use.
        peak_bytes: How much that was, without variables and the batch.
        run: What was allocated and freed.
    """

    nodes: list[Node]
    peak: int
    peak_bytes: int
    run: Run

    @property
    def _state_bytes(self) -> int:
        return sum(buffer.size.at(1) for buffer in self.run.variables)

    def find_shelves(self, most_bytes: int) -> Shelves | None:
        """Those with which the allocator can serve it in so much memory beside the variables.

        None where it cannot.
        """
        if self.peak_bytes > most_bytes:
            return None
        limit = self._state_bytes + most_bytes
        kinds = list_kinds(most_bytes)
        return next((kind for kind in kinds if runs_within(self.run, limit, kind)), None)

    def measure_least(self, shelves: Shelves) -> int:
        """The least memory beside the variables in which the allocator can serve it."""
        return least_bytes(self.run, self.run, 1, shelves=shelves) - self._state_bytes


def read_graph(graph: Any, results: Iterable[str] = ()) -> list[Node]:
    """The nodes that TensorFlow runs of a traced function whose batch has its real size.

    Args:
        results: Names of the operations that it is run for; those of the graph where not given.
    """
    definition = graph.as_graph_def(add_shapes=True)
    nodes = read_nodes(definition.node, shapes_by_name(graph), 1)
    needed = _list_needed(nodes, set(results or list_results(graph)))
    return tidy_nodes(needed, keeps_values=True)


def list_results(graph: Any) -> list[str]:
    """The operations that a traced function is run for: what it returns, and what it changes."""
    returned = [tensor.op.name for tensor in graph.outputs]
    return [*returned, *(operation.name for operation in graph.control_outputs)]


def _list_needed(nodes: list[Node], results: Set[str]) -> list[Node]:
    """Without those that nothing depends on: gradients of constants, say, which nobody reads."""
    needed = {node for node in nodes if node.name in results}
    waiting = list(needed)
    while waiting:
        node = waiting.pop()
        for before in (*(producer for producer, _ in node.inputs), *node.controls):
            if before not in needed:
                needed.add(before)
                waiting.append(before)
    return [node for node in nodes if node in needed]


def run_on_paper(nodes: Sequence[Node], handles: Handles | None = None) -> Order:
    """In the order of TensorFlow's executor.

    Args:
        handles: The nodes that stand for variables.
    """
    ledger = Ledger()
    variables = make_variables(handles or {})
    before = [variable.buffer for variable in variables.values()]
    execution = Execution(list(nodes), ledger, Operations(ledger, variables))
    execution.run()
    places = {node: place for place, node in enumerate(execution.ran)}
    current = most = peak = 0
    for buffer, is_new, node in ledger.events:
        size = buffer.size.at(1)
        current += size if is_new else -size
        if current > most:
            most, peak = current, places.get(node, peak) if node is not None else peak
    after = [variable.buffer for variable in variables.values()]
    run = Run(before, after, [], ledger.events, execution.complete)
    return Order(execution.ran, peak, most, run)


def size_of_output(output: Output) -> int:
    """Bytes on the device."""
    node, index = output
    return node.sizes[index].at(1) if index < len(node.sizes) else 0


def list_uses(nodes: Iterable[Node]) -> dict[Output, list[Node]]:
    """Who reads each output."""
    uses: dict[Output, list[Node]] = {}
    for node in nodes:
        for given in node.inputs:
            uses.setdefault(given, []).append(node)
    return uses
