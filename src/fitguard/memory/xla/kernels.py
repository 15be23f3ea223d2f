"""Which operations XLA fuses on a GPU, and so which values exist in memory at all."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from fitguard.memory.xla.graph import PRED, Graph
from fitguard.memory.xla.sizes import evaluate, product

FREE = frozenset({"constant", "iota", "partition-id", "replica-id"})
"""Made inside of whatever reads them."""

LIBRARY = frozenset(
    {"dot", "convolution", "custom-call", "fft", "cholesky", "triangular-solve", "sort"}
    | {"while", "conditional", "rng-bit-generator", "rng"}
)
"""Kernels of their own: they read and write memory, and nothing is fused into them."""

ROOTS_ONLY = frozenset(
    {"reduce", "reduce-window", "scatter", "dynamic-update-slice", "index-rows", "zeros"}
)
"""They take in what comes before them, but nothing that comes after."""


OVERWRITING = frozenset({"scatter", "dynamic-update-slice"})
"""They change their first operand in place, so that it must exist in memory."""

WORK = dict.fromkeys(("divide", "exponential", "log", "rsqrt", "sqrt", "cosine", "sine"), 10)
WORK |= dict.fromkeys(("tanh", "logistic", "exponential-minus-one", "log-plus-one"), 20)
WORK |= dict.fromkeys(("power", "erf", "atan2", "remainder"), 60)
WORK_PER_BYTE = 7
"""What an operation costs for one element (others: 1), and how much of that a GPU does while it
moves one byte: of the order of a H200's 33 T operations/s to 4.8 TB/s."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """One launch: an operation with all that is fused into it.

    Args:
        operation: The index of the operation at its root.
        reads: Values from memory.
        writes: Values into memory.
    """

    operation: int
    reads: tuple[int, ...]
    writes: tuple[int, ...]


def kernels(graph: Graph, batch: int) -> list[Kernel]:
    """The kernels of the step, decided at this batch size, in the order of the graph."""
    needed = graph.find_needed_operations()
    stored = _must_be_stored(graph, needed)
    for _ in range(2):
        stored |= _cheaper_stored(graph, needed, stored, batch)
    sources = _Sources(graph, stored)
    found = []
    for index in needed:
        reads = sources.pass_on(index)
        if index in stored:
            results = graph.operations[index].results
            found.append(Kernel(index, tuple(sorted(reads)), results))
    return found


class _Sources:
    """The values in memory that must be read to compute a value; asked in the graph's order."""

    def __init__(self, graph: Graph, stored: set[int]) -> None:
        self.graph = graph
        self.stored = stored
        self.of: dict[int, frozenset[int]] = {}

    def pass_on(self, index: int) -> frozenset[int]:
        """What an operation reads; whoever uses it reads that too, where it is not stored."""
        operation = self.graph.operations[index]
        reads: frozenset[int] = frozenset()
        if operation.opcode not in FREE:
            parts = (self.of.get(value, frozenset({value})) for value in operation.operands)
            reads = reads.union(*parts)
        if index not in self.stored:
            self.of.update((value, reads) for value in operation.results)
        return reads


def _must_be_stored(graph: Graph, needed: list[int]) -> set[int]:
    outputs = set(graph.outputs)
    stored = set()
    for index in needed:
        operation = graph.operations[index]
        if operation.opcode in LIBRARY | ROOTS_ONLY or outputs.intersection(operation.results):
            stored.add(index)
        if operation.opcode in LIBRARY:
            stored.update(_producers(graph, operation.operands))
        if operation.opcode in OVERWRITING:
            stored.update(_producers(graph, operation.operands[:1]))
    return {index for index in stored if graph.operations[index].opcode not in FREE}


def _producers(graph: Graph, values: tuple[int, ...]) -> set[int]:
    makers = (graph.values[value].producer for value in values)
    return {maker for maker in makers if maker is not None}


def _cheaper_stored(graph: Graph, needed: list[int], stored: set[int], batch: int) -> set[int]:
    """Operations that would be computed again so often that reading the result is quicker."""
    again = _times_computed(graph, needed, stored)
    users = Counter(p for i in needed for p in _producers(graph, graph.operations[i].operands))
    sources = _Sources(graph, stored)
    work: dict[int, int] = {}
    added = set()
    for index in needed:
        operation = graph.operations[index]
        reads = sources.pass_on(index)
        if index in stored or operation.opcode in FREE:
            continue
        effort = sum(work.get(value, 0) for value in set(operation.operands))
        effort += WORK.get(operation.opcode, 1) * _elements(graph, operation.results, batch)
        once = _bytes(graph, reads, batch) + effort // WORK_PER_BYTE
        times, size = again[index], _bytes(graph, operation.results, batch)
        is_choice = users[index] > 1 and graph.values[operation.results[0]].dtype != PRED
        if is_choice and times * once > once + (1 + times) * size:
            added.add(index)
            for value in operation.results:
                del sources.of[value]
        else:
            work.update((value, effort) for value in operation.results)
    return added


def _bytes(graph: Graph, values: Iterable[int], batch: int) -> int:
    return sum(evaluate(graph.values[value].bytes, batch) for value in values)


def _elements(graph: Graph, values: Iterable[int], batch: int) -> int:
    return sum(evaluate(product(graph.values[value].dims), batch) for value in values)


def _times_computed(graph: Graph, needed: list[int], stored: set[int]) -> Counter[int]:
    """How many kernels each operation would be computed in if it is not stored."""
    roots: dict[int, set[int]] = {}
    for index in reversed(needed):
        into = {index} if index in stored else roots.get(index, set())
        for producer in _producers(graph, graph.operations[index].operands):
            if producer not in stored:
                roots.setdefault(producer, set()).update(into)
    return Counter({index: len(found) for index, found in roots.items()})
