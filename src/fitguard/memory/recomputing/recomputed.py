"""A function of tensors, changed so that it fits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fitguard.contract.rewritten import make_callable
from fitguard.memory.recomputing.choosing import Recomputation, choose
from fitguard.memory.recomputing.edit import NAME, edit_definition
from fitguard.memory.recomputing.graph import read_graph


class NothingToRecompute(Exception):
    """No operation can be computed again with less memory than it takes now."""


@dataclass(frozen=True)
class _Made:
    call: Callable[[Sequence[Any]], list[Any]]
    structure: Any


class RecomputedFunction:
    """Gives what a function of tensors gives, and computes some of it twice to save memory.

    It is traced for each shape of its arguments, and what is computed twice is chosen for it.

    Args:
        function: As for `tf.function`.
        share: Of the memory that it takes for its first arguments as it is, without variables and
            these arguments. Where so little cannot be had, the least is taken.
        jit_compile: Compile with XLA.
        autograph: As for `tf.function`.

    Attributes:
        way: What is computed twice for the first arguments; None before it was traced.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        share: float,
        *,
        jit_compile: bool = False,
        autograph: bool = True,
    ) -> None:
        import tensorflow as tf

        self._function = tf.function(function, autograph=autograph)
        self._share = share
        self._jit = jit_compile
        self._made: dict[Any, _Made] = {}
        self.way: Recomputation | None = None

    def prepare(self, *arguments: Any) -> None:
        """Trace it for arguments of these shapes; nothing is computed.

        Raises:
            NothingToRecompute: where it cannot be had in less memory.
        """
        self._find(arguments)

    def __call__(self, *arguments: Any) -> Any:
        import tensorflow as tf

        made = self._find(arguments)
        found = made.call(tf.nest.flatten(arguments, expand_composites=True))
        return tf.nest.pack_sequence_as(made.structure, found, expand_composites=True)

    def _find(self, arguments: tuple[Any, ...]) -> _Made:
        import tensorflow as tf

        specs = tf.nest.map_structure(tf.type_spec_from_value, arguments)
        key = (str(tf.nest.map_structure(lambda _: None, specs)), *tf.nest.flatten(specs))
        if key not in self._made:
            self._made[key] = self._make(specs)
        return self._made[key]

    def _make(self, specs: tuple[Any, ...]) -> _Made:
        traced = self._function.get_concrete_function(*specs)
        nodes = read_graph(traced.graph)
        of_bytes = self.way.whole_bytes if self.way is not None else 0
        way = choose(nodes, self._share, of_bytes)
        if way is None and self.way is None:
            raise NothingToRecompute
        self.way = self.way or way
        definition = _edit(traced.graph, way, barriers=self._jit)
        call = make_callable(traced, definition, jit_compile=self._jit)
        return _Made(call, traced.structured_outputs)


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
