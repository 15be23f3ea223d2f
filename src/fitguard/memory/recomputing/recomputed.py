"""A traced step, changed so that it fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fitguard.contract.rewritten import make_callable
from fitguard.memory.recomputing.choosing import Recomputation, choose
from fitguard.memory.recomputing.edit import NAME, edit_definition
from fitguard.memory.recomputing.graph import read_graph


@dataclass(frozen=True)
class Recomputed:
    """What can be called in place of a traced function.

    Args:
        call: Takes its tensors, and gives its outputs, both as flat lists.
        way: What is computed twice.
    """

    call: Callable[[Sequence[Any]], list[Any]]
    way: Recomputation


def recompute(
    function: Any, share: float, of_bytes: int = 0, *, jit_compile: bool
) -> Recomputed | None:
    """The same function in less memory; None where nothing can be won.

    Args:
        function: A concrete function, traced for tensors whose sizes are known, without XLA.
        share: Of the memory that it takes as it is, without variables and its inputs.
        of_bytes: As `choose` has it.
        jit_compile: Compile it with XLA.
    """
    graph = function.graph
    way = choose(read_graph(graph), share, of_bytes)
    if way is None:
        return None
    # Not with shapes: functions that it calls would differ from those that TensorFlow has by now.
    definition = graph.as_graph_def()

    def type_of(name: str, index: int) -> Any:
        # The names of copies end with those of their originals.
        while name.startswith(NAME):
            name = name.split("/", 2)[2]
        return graph.get_operation_by_name(name).outputs[index].dtype.as_datatype_enum

    for edit in way.edits:
        edit_definition(definition, edit, type_of if jit_compile else None)
    return Recomputed(make_callable(function, definition, jit_compile=jit_compile), way)
