"""Which operations give the same when they run again."""

from fitguard.contract.datasets.operations import HIDDEN_DRAWS
from fitguard.contract.graphs import operation_definition
from fitguard.memory.graph.nodes import Node

_SOURCES = frozenset(("Placeholder", "Const", "ReadVariableOp", "_Arg"))
"""What they give is there all the time: nothing is won by running them again."""
_CALLS = frozenset(
    (
        *("While", "StatelessWhile", "If", "StatelessIf", "Case", "StatelessCase", "For"),
        *("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient", "XlaLaunch"),
    )
)
"""Functions: what is in them may do anything, and lists of tensors cannot be told from outside."""
_BACKWARD = frozenset(("gradient_tape", "gradients"))
"""Name scopes of the backward pass: what waits there waits for the optimizer."""


def is_repeatable(node: Node) -> bool:
    """Whether it may run twice: it is one operation of the forward pass, and draws nothing."""
    if is_backward(node):
        return False
    if node.op in _SOURCES or node.op in _CALLS or node.op.startswith("TensorList"):
        return False
    known = operation_definition(node.op)
    return known is not None and not known.is_stateful and bool(node.sizes)


def is_backward(node: Node) -> bool:
    """Whether it is of the backward pass: by its name, or as a sum of what is.

    Not all that reads something of it: TensorFlow's optimizer has one node for equal values, such
    as shapes, of both passes.
    """
    if node.op == "AddN":
        return all(is_backward(producer) for producer, _ in node.inputs)
    return not _BACKWARD.isdisjoint(node.name.split("/"))


def draws_anew(node: Node) -> bool:
    """Whether it draws random numbers from a state of its own: in a new graph, that begins anew."""
    return node.op in HIDDEN_DRAWS
