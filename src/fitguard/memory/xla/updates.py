"""Joins the kernels that update one variable and the optimizer's slots for it, as XLA does."""

from collections import Counter

from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.kernels import Kernel


def join_updates(graph: Graph, kernels: list[Kernel]) -> list[Kernel]:
    """The kernels, with one for all updates that read the same gradient.

    A joined kernel stands where the last of its parts stood.
    """
    overwriting = {graph.outputs[output] for output in graph.aliases}
    leader: dict[int, int] = {}
    groups: dict[int, list[Kernel]] = {}
    for index, kernel in enumerate(kernels):
        if not overwriting.issuperset(kernel.writes):
            continue
        linked = [leader[value] for value in kernel.reads if value in leader]
        group = min(linked, default=index)
        groups.setdefault(group, []).append(kernel)
        for value in (*kernel.writes, *_gradients(graph, kernel)):
            leader.setdefault(value, group)
    readers = Counter(value for kernel in kernels for value in kernel.reads)
    apart = [group for group in groups.values() if len(group) > 1 and _is_apart(group, readers)]
    return _with_groups(kernels, apart)


def _is_apart(group: list[Kernel], readers: Counter[int]) -> bool:
    """Whether nobody else reads what it writes."""
    inside = Counter(value for kernel in group for value in kernel.reads)
    written = (value for kernel in group for value in kernel.writes)
    return all(inside[value] == readers[value] for value in written)


def _gradients(graph: Graph, kernel: Kernel) -> list[int]:
    """What it reads that is as large as what it writes, and no variable."""
    size = graph.values[kernel.writes[0]].bytes
    if not graph.values[kernel.writes[0]].dims:
        return []
    parameters = set(graph.parameters)
    return [
        value
        for value in kernel.reads
        if value not in parameters and graph.values[value].bytes == size
    ]


def _with_groups(kernels: list[Kernel], groups: list[list[Kernel]]) -> list[Kernel]:
    ends = {group[-1].operation: group for group in groups}
    inner = {part.operation for group in groups for part in group[:-1]}
    return [
        _join_kernels(ends[kernel.operation]) if kernel.operation in ends else kernel
        for kernel in kernels
        if kernel.operation not in inner
    ]


def _join_kernels(parts: list[Kernel]) -> Kernel:
    writes = tuple(value for part in parts for value in part.writes)
    reads = {value for part in parts for value in part.reads} - set(writes)
    return Kernel(parts[-1].operation, tuple(sorted(reads)), writes)
