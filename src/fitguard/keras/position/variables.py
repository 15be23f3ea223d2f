"""The variables that functions of a dataset use: the seeds of augmentation layers, for instance."""

from typing import Any

from fitguard.keras.position.plain import from_data, to_data

_MOST_BYTES = 2**20


class DatasetVariables:
    """Their values, as data.

    Args:
        handles: Of the variables, in the order of the pipeline.
    """

    def __init__(self, handles: list[Any]) -> None:
        self._handles = [handle for handle in _once(handles) if _bytes(handle) <= _MOST_BYTES]

    def read(self) -> list[Any]:
        return [to_data(_read(handle)) for handle in self._handles]

    def restore(self, values: list[Any]) -> None:
        import tensorflow as tf

        for handle, data in zip(self._handles, values, strict=False):
            dtype, _ = _kind(handle)
            tf.raw_ops.AssignVariableOp(
                resource=handle, value=tf.constant(from_data(data), dtype=dtype)
            )


def _once(handles: list[Any]) -> list[Any]:
    return list({id(handle): handle for handle in handles}.values())


def _kind(handle: Any) -> tuple[Any, Any]:
    import tensorflow as tf

    held = handle._handle_data.shape_and_type[0]
    return tf.dtypes.as_dtype(held.dtype), tf.TensorShape(held.shape)


def _bytes(handle: Any) -> int:
    dtype, shape = _kind(handle)
    return int((shape.num_elements() or 0) * dtype.size)


def _read(handle: Any) -> Any:
    import tensorflow as tf

    dtype, _ = _kind(handle)
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype).numpy()
