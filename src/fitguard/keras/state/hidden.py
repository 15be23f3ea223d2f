"""Random numbers whose state no snapshot can hold.

Operations such as `tf.random.normal`, and Dropout of tf_keras, draw in a kernel that counts by
itself: its state can be neither read nor set. After a restart they begin anew.
"""

import types
from typing import Any

_KERNELS = frozenset(
    (
        "RandomUniform",
        "RandomUniformInt",
        "RandomStandardNormal",
        "TruncatedNormal",
        "ParameterizedTruncatedNormal",
        "RandomGamma",
        "RandomPoissonV2",
        "RandomShuffle",
        "Multinomial",
    )
)
_DEEPEST = 6


def random_kernels(model: Any) -> list[str]:
    """Such operations in the traced train step of a model, by the type of operation.

    Empty before the first step, and where the step runs eagerly.
    """
    found: set[str] = set()
    for function in _functions(getattr(model, "train_function", None), _DEEPEST):
        for concrete in function._list_all_concrete_functions():
            definition = concrete.graph.as_graph_def()
            found.update(node.op for node in definition.node)
            for inner in definition.library.function:
                found.update(node.op for node in inner.node_def)
    return sorted(found & _KERNELS)


def _functions(thing: Any, depth: int) -> list[Any]:
    """The `tf.function`s that a function of Keras calls: itself, or in its closure."""
    if hasattr(thing, "_list_all_concrete_functions"):
        return [thing]
    if not depth or not isinstance(thing, types.FunctionType | types.MethodType):
        return []
    function = thing.__func__ if isinstance(thing, types.MethodType) else thing
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_bound(cell)]
    return [found for cell in cells for found in _functions(cell, depth - 1)]


def _is_bound(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
