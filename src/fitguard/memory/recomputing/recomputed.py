"""A function of tensors, changed so that it fits."""

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fitguard.contract.rewritten import (
    graph_for_shapes,
    is_compiled,
    make_callable,
    own_inputs,
)
from fitguard.memory.graph.kernels import CUDNN_CONVOLUTIONS
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.shelves import NO_SHELVES
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import find_variables
from fitguard.memory.graph.updates import Handles
from fitguard.memory.model_variables import variable_bytes
from fitguard.memory.recomputing.by_device import choose
from fitguard.memory.recomputing.edit import NAME, edit_definition
from fitguard.memory.recomputing.graph import list_results, read_graph
from fitguard.memory.recomputing.recomputation import Recomputation, turns_images
from fitguard.memory.recomputing.repeatable import draws_anew
from fitguard.memory.recomputing.shelving import put_up_shelves
from fitguard.schema.exit_codes import UsageError

Specs = Sequence[Any]
_NEAR = 0.01


class NothingToRecompute(Exception):
    """No operation can be computed again with less memory than it takes now."""


@dataclass(frozen=True)
class _Made:
    call: Callable[[Sequence[Any]], list[Any]]
    structure: Any
    way: Recomputation | None
    device: str


class RecomputedFunction:
    """Gives what a function of tensors gives, and computes some of it twice to save memory.

    It is traced as `tf.function` would trace it. What is computed twice is chosen for each shape of
    its arguments. Where nothing can be saved, it runs as it is.

    Args:
        function: A `tf.function`, or what could be one.
        share: Of the memory that it takes for its first arguments as it is, without variables and
            these arguments. Where so little cannot be had, the least is taken.
        jit_compile: Compile with XLA; None for what the `tf.function` does.
        widen: Makes the specs that it is traced for from those of its tensors.
        told_more: Called with the share that is reached, where that is more than was asked for; 1
            where nothing can be saved. Once, for the first arguments.
        of_bytes: What the share is of, where these were other arguments; 0 for the first ones.

    Attributes:
        way: What is computed twice, for the first arguments where something is.
        drawing: Kinds of operations in it that draw other random numbers once it is changed.
        keeps_images: Whether its convolutions on a GPU get images in the layout that they have.
    """

    def __init__(
        self,
        function: Any,
        share: float,
        *,
        jit_compile: bool | None = None,
        widen: Callable[[Specs], Specs] = list,
        told_more: Callable[[float], None] = lambda _: None,
        of_bytes: int = 0,
    ) -> None:
        import tensorflow as tf

        is_traceable = hasattr(function, "get_concrete_function")
        self._function = function if is_traceable else tf.function(function)
        self._share = share
        self._jit = jit_compile
        self._widen = widen
        self._tell_more = told_more
        self._of_bytes = of_bytes
        self._made: dict[Any, _Made] = {}
        self._shelves, self._pins = NO_SHELVES, list[Any]()
        self.way: Recomputation | None = None
        self.drawing: tuple[str, ...] = ()
        self.keeps_images = False

    def prepare(self, *arguments: Any) -> None:
        """Trace it for arguments of these shapes; nothing is computed.

        Raises:
            NothingToRecompute: where it cannot be had in less memory.
        """
        self._find(arguments)
        if self.way is None:
            raise NothingToRecompute("No value of it can be computed again in less memory.")

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        import tensorflow as tf

        if not tf.executing_eagerly():
            raise UsageError(
                "Received a call of a recomputed function from inside of a tf.function. Expected: "
                "a call from Python. Recompute the outer function instead."
            )
        arguments = self._bind(arguments, named)
        made = self._find(arguments)
        self._put_up_shelves(made)
        found = iter(made.call(tf.nest.flatten(_tensors(arguments), expand_composites=True)))
        leaves = tf.nest.flatten(made.structure, expand_composites=True)
        filled = [leaf if leaf is None else next(found) for leaf in leaves]
        return tf.nest.pack_sequence_as(made.structure, filled, expand_composites=True)

    def _put_up_shelves(self, made: _Made) -> None:
        """Just before the first step that needs them: what was tried before is gone by then."""
        if made.way is None or made.way.shelves.each_bytes <= self._shelves.each_bytes:
            return
        self._shelves, self._pins = made.way.shelves, []
        self._pins = put_up_shelves(self._shelves, made.device)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method, it gets its object first."""
        return self if instance is None else functools.partial(self, instance)

    def _bind(self, arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        if not named:
            return arguments
        function = getattr(self._function, "python_function", self._function)
        bound = inspect.signature(function).bind(*arguments, **named)
        if bound.kwargs:
            raise UsageError(
                f"Received {', '.join(bound.kwargs)} by name. Expected arguments that can be given "
                "by position."
            )
        return bound.args

    def _find(self, arguments: tuple[Any, ...]) -> _Made:
        import tensorflow as tf

        leaves = tf.nest.flatten(arguments)
        kinds = [_spec(leaf) if _is_tensor(leaf) else identify(leaf) for leaf in leaves]
        structure = tf.nest.map_structure(lambda _: None, arguments)
        key = (str(structure), *kinds)
        if key not in self._made:
            self._made[key] = self._make(arguments)
        return self._made[key]

    def _make(self, arguments: tuple[Any, ...]) -> _Made:
        import tensorflow as tf

        leaves = tf.nest.flatten(arguments)
        specs = [_spec(leaf) for leaf in leaves if _is_tensor(leaf)]
        wide = iter(self._widen(specs))
        given = [next(wide) if _is_tensor(leaf) else leaf for leaf in leaves]
        traced = self._function.get_concrete_function(*tf.nest.pack_sequence_as(arguments, given))
        tensors = tf.nest.flatten(_tensors(arguments), expand_composites=True)
        nodes, handles = _read_nodes(traced, tensors)
        self.drawing = self.drawing or tuple(
            sorted({node.op for node in nodes if draws_anew(node)})
        )
        jit = is_compiled(traced) if self._jit is None else self._jit
        way = choose(nodes, self._share, self._of_bytes, handles=handles, is_compiled=jit)
        reached = way.share if way is not None and way.edits else 1.0
        if not self._made and (way is None or way.edits) and reached > self._share + _NEAR:
            self._tell_more(reached)
        if way is not None:
            self._of_bytes = self._of_bytes or way.whole_bytes
            self.way = self.way if self.way is not None and self.way.edits else way
        turns, device = turns_images(self._share), _find_device(traced.graph)
        has_images = any(node.op in CUDNN_CONVOLUTIONS for node in nodes)
        self.keeps_images |= has_images and "GPU" in device and not (turns or jit)
        definition = _edit(traced.graph, way, barriers=jit)
        call = make_callable(traced, definition, jit_compile=jit, turns_images=turns)
        return _Made(call, traced.structured_outputs, way, device)


def _find_device(graph: Any) -> str:
    """Where its largest variable is; empty where it has none: TensorFlow's first choice."""
    largest = max(graph.variables, key=variable_bytes, default=None)
    return "" if largest is None else str(largest.device)


def _read_nodes(traced: Any, tensors: Sequence[Any]) -> tuple[list[Node], Handles]:
    """With the sizes of these tensors, also where it was traced for any; and its variables."""
    import tensorflow as tf

    known = traced.graph.variables
    if all(one.shape.is_fully_defined() for one in own_inputs(traced)):
        nodes = read_graph(traced.graph)
        return nodes, _find_handles(traced.graph, nodes, known)
    specs = [tf.TensorSpec(one.shape, one.dtype) for one in tensors]
    graph, names = graph_for_shapes(traced, specs)
    nodes = read_graph(graph, list_results(traced.graph))
    handles = _find_handles(graph, nodes, known)
    for node in nodes:
        node.name = names.get(node.name, node.name)
    return nodes, handles


def _find_handles(graph: Any, nodes: Sequence[Node], variables: Sequence[Any]) -> Handles:
    return {
        node: (variable.name, Size(variable_bytes(variable)), "weights")
        for node, variable in find_variables(graph, nodes, variables).items()
    }


def _edit(graph: Any, way: Recomputation | None, *, barriers: bool) -> Any:
    # Not with shapes: functions that it calls would differ from those that TensorFlow has by now.
    definition = graph.as_graph_def()

    def type_of(name: str, index: int) -> Any:
        # The names of copies end with those of their originals.
        while name.startswith(NAME):
            name = name.split("/", 2)[2]
        return graph.get_operation_by_name(name).outputs[index].dtype.as_datatype_enum

    for edit in way.edits if way is not None else ():
        edit_definition(definition, edit, type_of if barriers else None)
    return definition


def _is_tensor(leaf: Any) -> bool:
    """Whether the graph gets it as a tensor; all else is part of the trace, as in `tf.function`."""
    import numpy as np
    import tensorflow as tf

    numbers = (tf.Tensor, np.ndarray, np.generic)
    kinds = (*numbers, tf.RaggedTensor, tf.SparseTensor, tf.distribute.DistributedValues)
    if isinstance(leaf, tf.Variable):
        raise UsageError(
            f"Received the variable {leaf.name} as an argument. Expected tensors and Python "
            "values: let the function use its variables as a closure."
        )
    return isinstance(leaf, kinds)


def _tensors(arguments: tuple[Any, ...]) -> list[Any]:
    import tensorflow as tf

    return [leaf for leaf in tf.nest.flatten(arguments) if _is_tensor(leaf)]


def _spec(leaf: Any) -> Any:
    import tensorflow as tf

    return tf.type_spec_from_value(leaf)


def identify(leaf: Any) -> Any:
    """What tells a Python value from others."""
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf
