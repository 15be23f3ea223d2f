"""What the functions of a pipeline do: draw, run Python, hold arrays, change variables."""

import itertools
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from fitguard.contract.random_sources import Restore, is_random_source
from fitguard.inputs.pipelines.operations import Operation, operations_of
from fitguard.inputs.python_state.reach import TooMuch, names_in, reach

LOOKED_AT = 2_000
"""Objects in which random generators are looked for."""

_ATTRIBUTES = (
    "_map_func",
    "_predicate",
    "_scan_func",
    "_key_func",
    "_reduce_func",
    "_window_size_func",
    "_reader_func",
    "_shard_func",
    "_init_func",
    "_finalize_func",
    "_next_func",
)
_REJECTION_WARNING = "maybe_warn_on_large_rejection"
"""TensorFlow's own function in `rejection_resample`: it prints when it rejects much."""


class Function(NamedTuple):
    """A traced function of a stage.

    Args:
        python: The Python functions that run in it.
        python_lost: Whether one of them could not be found.
        variables: The handles of the variables that it can reach.
        datasets: Places of datasets among what it has captured.
    """

    name: str
    concrete: Any
    operations: tuple[Operation, ...]
    captured: tuple[Any, ...]
    python: tuple[Any, ...] = ()
    python_lost: bool = False
    variables: tuple[Any, ...] = ()
    datasets: tuple[int, ...] = ()

    @property
    def is_random(self) -> bool:
        drawn = any(operation.is_random for operation in self.operations)
        return drawn or (bool(self.python) and python_draws(self.python))

    @property
    def runs_python(self) -> bool:
        return any(operation.runs_python for operation in self.operations)

    @property
    def baked_bytes(self) -> int:
        constants = sum(operation.constant_bytes for operation in self.operations)
        return constants + sum(tensor_bytes(tensor) for tensor in self.captured)

    @property
    def obstacle(self) -> str:
        """Why running it cannot be undone; empty where it can."""
        if self.python_lost:
            return f"The Python code in {self.name} could not be found."
        outside = sorted({op.kind for op in self.operations if op.acts_outside})
        if outside:
            return f"Running {self.name} may change something outside of it ({outside[0]})."
        if any(op.prints for op in self.operations) and _REJECTION_WARNING not in self.name:
            return f"{self.name} prints."
        if any(op.writes_variable for op in self.operations) and not self.variables:
            return f"{self.name} changes a variable that could not be found."
        return ""

    @property
    def moves_nothing(self) -> bool:
        """Whether it may run in parallel: no Python, and no variable that it could write."""
        return not any(op.runs_python or op.writes_variable for op in self.operations)


def functions_of(dataset: Any) -> Iterator[Function]:
    """The functions of one stage, not those of its inputs."""
    for wrapper in _wrappers(dataset):
        concrete = getattr(wrapper, "function", None)
        if concrete is not None and hasattr(concrete, "graph"):
            yield function(_name(wrapper, concrete), concrete)


def function(name: str, concrete: Any) -> Function:
    """Look into a traced function."""
    operations = tuple(operations_of(concrete.graph))
    captured = tuple(concrete.captured_inputs)
    return Function(
        name,
        concrete,
        operations,
        captured,
        *python_of(operations),
        variables=tuple(t for t in captured if _is_variable(t)),
        datasets=tuple(i for i, t in enumerate(captured) if _dtype(t) == "variant"),
    )


def python_of(operations: tuple[Operation, ...]) -> tuple[tuple[Any, ...], bool]:
    """The Python functions behind operations, and whether one is missing."""
    tokens = {operation.token for operation in operations if operation.runs_python}
    if not tokens:
        return (), False
    from tensorflow.python.ops import script_ops

    registry = getattr(script_ops, "_py_funcs", None)
    found = [registry.get(token) for token in sorted(tokens)] if registry is not None else [None]
    return tuple(function for function in found if function is not None), None in found


def python_draws(roots: tuple[Any, ...]) -> bool:
    """Whether Python code seems to draw random numbers: it names `random`, or holds a generator."""
    try:
        return any(
            is_random_source(found.thing)
            or (isinstance(found.thing, types.FunctionType) and "random" in names_in(found.thing))
            for found in itertools.islice(reach(roots), LOOKED_AT)
        )
    except TooMuch:
        return False


def variable_restore(handle: Any) -> Restore:
    """A call that gives a variable the value that it has now."""
    import tensorflow as tf

    dtype = tf.as_dtype(handle._handle_data.shape_and_type[0].dtype)
    # Shares the memory of the variable until that is written to.
    value = tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)

    def restore() -> None:
        tf.raw_ops.AssignVariableOp(resource=handle, value=value)

    return restore


def tensor_bytes(tensor: Any) -> int:
    """The size of a tensor's values; 0 for handles."""
    if _dtype(tensor) in ("resource", "variant"):
        return 0
    count = tensor.shape.num_elements() or 0
    if _dtype(tensor) == "string":
        return int(count * _string_bytes(tensor))
    return int(count * tensor.dtype.size)


def _string_bytes(tensor: Any) -> float:
    """The mean size of a string, from the first ones."""
    import tensorflow as tf

    first = tf.reshape(tensor, [-1])[:100].numpy() if hasattr(tensor, "numpy") else []
    return sum(map(len, first)) / len(first) if len(first) else 0


def _wrappers(dataset: Any) -> list[Any]:
    found = [getattr(dataset, name, None) for name in _ATTRIBUTES]
    # `ragged_batch` maps in a stage of its own that no other stage names.
    found.append(getattr(getattr(dataset, "_mapped_dataset", None), "_map_func", None))
    return [wrapper for wrapper in found if hasattr(wrapper, "function")]


def _name(wrapper: Any, concrete: Any) -> str:
    function = getattr(wrapper, "_func", None)
    name = getattr(function, "__name__", None) or getattr(function, "name", None)
    return str(name or (type(function).__name__ if function is not None else concrete.name))


def _dtype(tensor: Any) -> str:
    return str(getattr(tensor.dtype, "name", tensor.dtype))


def _is_variable(tensor: Any) -> bool:
    data = getattr(tensor, "_handle_data", None)
    return _dtype(tensor) == "resource" and data is not None and len(data.shape_and_type) == 1
