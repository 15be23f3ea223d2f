"""A traced function whose graph was changed, as something that can be called."""

from collections.abc import Callable, Sequence
from typing import Any

_ARGUMENT = "fitguard_argument"


def make_callable(
    function: Any, definition: Any, *, jit_compile: bool
) -> Callable[[Sequence[Any]], list[Any]]:
    """Takes the tensors that the traced function takes, and gives those that it gives.

    Args:
        function: A concrete function. What it captures, such as variables, stays the same.
        definition: Its graph, changed. Its inputs and outputs still have their names.
    """
    import tensorflow as tf

    specs = [tf.TensorSpec(one.shape, one.dtype) for one in own_inputs(function)]
    ordered = _import(function, definition, specs)
    if not jit_compile:
        return lambda tensors: ordered(*tensors)[:-1]
    compiled = tf.function(
        lambda *tensors: ordered(*tensors), specs, autograph=False, jit_compile=True
    )
    return lambda tensors: compiled(*tensors)[:-1]


def graph_for_shapes(function: Any, specs: Sequence[Any]) -> tuple[Any, dict[str, str]]:
    """The graph of a traced function with the sizes that it has for inputs of these shapes.

    Returns:
        The graph, and for the names of its inputs those that they have in the function.
    """
    made = _import(function, function.graph.as_graph_def(), specs)
    names = {
        f"{_ARGUMENT}_{index}": tensor.op.name for index, tensor in enumerate(own_inputs(function))
    }
    return made.graph, names


def own_inputs(function: Any) -> list[Any]:
    """Without what it captures."""
    return list(function.inputs[: len(function.inputs) - len(function.captured_inputs)])


def is_compiled(function: Any) -> bool:
    """Whether a traced function is compiled with XLA."""
    return bool(function.function_def.attr["_XlaMustCompile"].b)


def _import(function: Any, definition: Any, specs: Sequence[Any]) -> Any:
    """The graph as a function. Its last output is there for its effects: it may have no other."""
    import tensorflow as tf

    captured = list(function.captured_inputs)
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
            outputs = [tf.identity(tensor) for tensor in found[: len(wanted)]]
            return [*outputs, tf.constant(0)]

    named = [
        tf.TensorSpec(spec.shape, spec.dtype, f"{_ARGUMENT}_{index}")
        for index, spec in enumerate(specs)
    ]
    # The order of reads and writes is in the graph already: `tf.function` would add another one.
    return tf.compat.v1.wrap_function(run, named)
