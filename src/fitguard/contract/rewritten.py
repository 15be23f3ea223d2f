"""A traced function whose graph was changed, as something that can be called."""

from collections.abc import Callable, Sequence
from typing import Any


def make_callable(
    function: Any, definition: Any, *, jit_compile: bool
) -> Callable[[Sequence[Any]], list[Any]]:
    """Takes the tensors that the traced function takes, and gives those that it gives.

    Args:
        function: A concrete function. What it captures, such as variables, stays the same.
        definition: Its graph, changed. Its inputs and outputs still have their names.
    """
    import tensorflow as tf

    captured = list(function.captured_inputs)
    given = function.inputs[: len(function.inputs) - len(captured)]
    inner = [tensor.name for tensor in function.inputs]
    wanted = [tensor.name for tensor in function.outputs]
    effects = [operation.name for operation in function.graph.control_outputs]

    def run(*tensors: Any) -> list[Any]:
        graph = tf.compat.v1.get_default_graph()
        outer = [*tensors, *(graph.capture(one) for one in captured)]
        found = tf.graph_util.import_graph_def(
            definition,
            input_map=dict(zip(inner, outer, strict=True)),
            return_elements=[*wanted, *effects],
            name="",
        )
        with tf.control_dependencies(found[len(wanted) :]):
            return [tf.identity(tensor) for tensor in found[: len(wanted)]]

    specs = [tf.TensorSpec(tensor.shape, tensor.dtype) for tensor in given]
    # The order of reads and writes is in the graph already: `tf.function` would add another one.
    ordered = tf.compat.v1.wrap_function(run, specs)
    if not jit_compile:
        return lambda tensors: ordered(*tensors)
    compiled = tf.function(
        lambda *tensors: ordered(*tensors), specs, autograph=False, jit_compile=True
    )
    return lambda tensors: compiled(*tensors)
