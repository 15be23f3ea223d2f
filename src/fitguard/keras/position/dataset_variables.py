"""The variables that functions of a dataset use: the seeds of augmentation layers, for instance."""

from typing import Any

from fitguard.contract.datasets.captured_variables import read_variable, variable_spec
from fitguard.state.values import decode, encode

_MOST_BYTES = 2**20


class DatasetVariables:
    """Their values, as data.

    Args:
        handles: Of the variables, in the order of the pipeline.
    """

    def __init__(self, handles: list[Any]) -> None:
        self._handles = [handle for handle in _once(handles) if _bytes(handle) <= _MOST_BYTES]

    def read(self) -> list[Any]:
        return [encode(read_variable(handle).numpy()) for handle in self._handles]

    def restore(self, values: list[Any]) -> None:
        import tensorflow as tf

        for handle, data in zip(self._handles, values, strict=False):
            value = tf.constant(decode(data), dtype=variable_spec(handle).dtype)
            tf.raw_ops.AssignVariableOp(resource=handle, value=value)


def _once(handles: list[Any]) -> list[Any]:
    return list({id(handle): handle for handle in handles}.values())


def _bytes(handle: Any) -> int:
    spec = variable_spec(handle)
    return int((spec.shape.num_elements() or 0) * spec.dtype.size)
