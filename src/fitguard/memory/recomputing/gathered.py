"""Values that wait for each other, and need not.

`IdentityN` gives what it got, once it has got all of it. Keras gathers the gradients of all
variables in one before it updates the first of them. Whoever reads one of its outputs can read the
input instead: then each gradient is used, and freed, as soon as it is there.
"""

from collections.abc import Sequence

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.edit import Edit
from fitguard.memory.recomputing.graph import Output, size_of_output


def read_past_gatherings(nodes: Sequence[Node]) -> Edit:
    """All read what went into an IdentityN, not what came out."""
    edit = Edit()
    followed = {before for node in nodes for before in node.controls}
    read = {producer for node in nodes for producer, _ in node.inputs}
    for node in nodes:
        inputs = [_find_source(given) for given in node.inputs]
        if inputs != node.inputs:
            edit.rewired[node] = inputs
        if node.op == "IdentityN" and node in read - followed:
            edit.left_out[node] = node.inputs[0][0]
    return edit


def measure_gathered(nodes: Sequence[Node]) -> int:
    """Bytes of what waits in them, at most."""
    given = {_find_source(one) for node in nodes if node.op == "IdentityN" for one in node.inputs}
    return sum(map(size_of_output, given))


def _find_source(output: Output) -> Output:
    while output[0].op == "IdentityN":
        output = output[0].inputs[output[1]]
    return output
