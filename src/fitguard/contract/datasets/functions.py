"""What the functions of a pipeline do: draw, run Python, hold arrays, change variables."""

from typing import Any, NamedTuple

from fitguard.contract.datasets.captured_variables import is_variable
from fitguard.contract.datasets.operations import Operation, operations_of

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
        """Whether its operations draw; Python code in it may draw as well."""
        return any(operation.is_random for operation in self.operations)

    @property
    def keeps_state(self) -> bool:
        """Whether what it gives depends on how often it ran."""
        return any(operation.keeps_state for operation in self.operations)

    @property
    def unseeded(self) -> set[str]:
        """The kinds of operations that draw without a seed."""
        return {operation.kind for operation in self.operations if operation.unseeded}

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


def functions_of(dataset: Any) -> dict[str, Function]:
    """The functions of one stage by the attributes that hold them, not those of its inputs."""
    from tensorflow.python.data.ops.structured_function import StructuredFunctionWrapper

    held = dict(vars(dataset))
    if "_mapped_dataset" in held:
        # `ragged_batch` maps in a stage of its own that no other stage names.
        held["_mapped_dataset"] = held["_mapped_dataset"]._map_func
    return {
        attribute: _function(wrapper)
        for attribute, wrapper in held.items()
        if isinstance(wrapper, StructuredFunctionWrapper)
    }


def _function(wrapper: Any) -> Function:
    concrete = wrapper.function
    operations = tuple(operations_of(concrete.graph))
    captured = tuple(concrete.captured_inputs)
    return Function(
        _name(wrapper._func),
        concrete,
        operations,
        captured,
        *python_of(operations),
        variables=tuple(tensor for tensor in captured if is_variable(tensor)),
        datasets=tuple(i for i, tensor in enumerate(captured) if tensor.dtype.name == "variant"),
    )


def python_of(operations: tuple[Operation, ...]) -> tuple[tuple[Any, ...], bool]:
    """The Python functions behind operations, and whether one is missing."""
    # In the order of the graph: the numbers in tokens are others in another process.
    tokens = dict.fromkeys(operation.token for operation in operations if operation.runs_python)
    if not tokens:
        return (), False
    from tensorflow.python.ops import script_ops

    found = [script_ops._py_funcs.get(token) for token in tokens]
    return tuple(function for function in found if function is not None), None in found


def tensor_bytes(tensor: Any) -> int:
    """The size of a tensor's values; 0 for handles."""
    if tensor.dtype.name in ("resource", "variant"):
        return 0
    count = tensor.shape.num_elements() or 0
    if tensor.dtype.name == "string":
        return int(count * _string_bytes(tensor))
    return int(count * tensor.dtype.size)


def _string_bytes(tensor: Any) -> float:
    """The mean size of a string, from the first ones."""
    import tensorflow as tf

    first = tf.reshape(tensor, [-1])[:100].numpy() if hasattr(tensor, "numpy") else []
    return sum(map(len, first)) / len(first) if len(first) else 0


def _name(function: Any) -> str:
    name = getattr(function, "__name__", None) or getattr(function, "name", None)
    return str(name or type(function).__name__)
