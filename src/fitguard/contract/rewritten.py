"""A traced function whose graph was changed, as something that can be called."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

_ARGUMENT = "fitguard_argument"


def make_callable(
    function: Any, definition: Any, *, jit_compile: bool, turns_images: bool = True
) -> Callable[[Sequence[Any]], list[Any]]:
    """Takes the tensors that the traced function takes, and gives those that it gives.

    Args:
        function: A concrete function. What it captures, such as variables, stays the same.
        definition: Its graph, changed. Its inputs and outputs still have their names.
        turns_images: Whether TensorFlow may turn them into the layout that it wants for a GPU.
    """
    import tensorflow as tf

    late = function.graph.deferred_external_captures
    specs = [tf.TensorSpec(one.shape, one.dtype) for one in own_inputs(function)]
    ordered = run = _import(function, definition, specs)
    if jit_compile:
        specs += [tf.TensorSpec(one.shape, one.dtype) for one in _late_inputs(function)]
        run = tf.function(
            lambda *tensors: ordered(*tensors), specs, autograph=False, jit_compile=True
        )

    def call(tensors: Sequence[Any]) -> list[Any]:
        found = [find() for find in late]
        given = [*tensors, *tf.nest.flatten(found, expand_composites=True)]
        with keep_graph(turns_images=turns_images):
            return list(run(*given)[:-1])

    return call


@contextlib.contextmanager
def keep_graph(*, turns_images: bool) -> Iterator[None]:
    """Functions that are called here for the first time add up their tensors in one operation.

    Where a step takes most of the memory that TensorFlow thinks is there (on a CPU, 205 MiB), its
    graph optimizer adds to a sum what comes, as it comes. That rounds differently each time, and
    the zeros that the sum begins with stay in memory after the step.

    Args:
        turns_images: Whether it may add operations that turn images into another layout.
    """
    from tensorflow.core.protobuf.config_pb2 import ConfigProto
    from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
    from tensorflow.python.eager import context

    here = context.context()
    usual = here.function_call_options
    config = ConfigProto.FromString(usual.config_proto_serialized)
    rewriting = config.graph_options.rewrite_options
    rewriting.memory_optimization = RewriterConfig.NO_MEM_OPT
    if not turns_images:
        rewriting.layout_optimizer = RewriterConfig.OFF
    here.function_call_options = context.FunctionCallOptions(usual.executor_type, config)
    try:
        yield
    finally:
        here.function_call_options = usual


def graph_for_shapes(function: Any, specs: Sequence[Any]) -> tuple[Any, dict[str, str]]:
    """The graph of a traced function with the sizes that it has for inputs of these shapes.

    Returns:
        The graph, and for the names of its inputs, and of what it captures, those that they have in
        the function.
    """
    made = _import(function, function.graph.as_graph_def(), specs)
    names = {
        f"{_ARGUMENT}_{index}": tensor.op.name for index, tensor in enumerate(own_inputs(function))
    }
    captured = {id(outer): inner.op.name for outer, inner in function.graph.captures}
    names |= {
        inner.op.name: captured[id(outer)]
        for outer, inner in made.graph.captures
        if id(outer) in captured
    }
    return made.graph, names


def own_inputs(function: Any) -> list[Any]:
    """Without what it captures."""
    return list(function.inputs[: len(function.inputs) - len(function.captured_inputs)])


def _late_inputs(function: Any) -> list[Any]:
    """What it asks for anew in each call: so replicas tell exchanges of gradients apart.

    They stand behind what it has captured for good.
    """
    first = len(own_inputs(function)) + len(function.graph.internal_captures)
    return list(function.inputs[first:])


def is_compiled(function: Any) -> bool:
    """Whether a traced function is compiled with XLA."""
    return bool(function.function_def.attr["_XlaMustCompile"].b)


def _import(function: Any, definition: Any, specs: Sequence[Any]) -> Any:
    """The graph as a function. Its last output is there for its effects: it may have no other.

    What is asked for anew in each call is given to it behind its own inputs.
    """
    import tensorflow as tf

    captured = function.captured_inputs[: len(function.graph.internal_captures)]
    inner = [tensor.name for tensor in function.inputs]
    wanted = [tensor.name for tensor in function.outputs]
    effects = [operation.name for operation in function.graph.control_outputs]

    def run(*tensors: Any) -> list[Any]:
        graph = tf.compat.v1.get_default_graph()
        own, late = tensors[: len(specs)], tensors[len(specs) :]
        outer = [*own, *(graph.capture(one) for one in captured), *late]
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
        for index, spec in enumerate([*specs, *_late_inputs(function)])
    ]
    # The order of reads and writes is in the graph already: `tf.function` would add another one.
    return tf.compat.v1.wrap_function(run, named)
