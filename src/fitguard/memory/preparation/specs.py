"""One array of the data as a `tf.TensorSpec` whose first axis, the batch, is open."""

from typing import Any

from fitguard.contract.libraries import Library
from fitguard.inputs.models.asking import ask
from fitguard.inputs.sources.kinds import descends
from fitguard.inputs.sources.structure import Leaf
from fitguard.schema.exit_codes import UsageError

Spec = Any
"""A `tf.TensorSpec`."""


def of_array(leaf: Leaf, library: Library, *, streamed: bool = False) -> Spec:
    """The spec that `train_step` gets for a batch of an array.

    What `fit` does to arrays was seen by experiment with Keras 3.15 and tf_keras 2.21: floats
    become `floatx`, but in Keras 2 not those of pandas and tensors, and in Keras 3 not those of
    streams; a pandas Series gets a second axis.

    Args:
        library: The Keras of the model.
        streamed: Whether it comes out of a stream, batch by batch.

    Raises:
        UsageError: for what has no axis, or no dtype that TensorFlow knows.
    """
    shape = lengths(leaf.value)
    if not shape:
        raise UsageError(
            f"Received {leaf.name}, a single value. Expected an array with samples along its first "
            "axis, or a shape such as (None, 224, 224, 3)"
        )
    if descends(leaf.value, "pandas", "Series"):
        shape = (*shape, 1)
    import tensorflow as tf

    dtype = tf.as_dtype(_dtype(leaf))
    kept = streamed
    if library.generation == 2:
        kept = _of(leaf.value, "pandas") or _of(leaf.value, "tensorflow")
    if dtype.is_floating and not kept:
        dtype = library.module("backend").floatx()
    return spec((None, *shape[1:]), dtype)


def spec(shape: tuple[int | None, ...], dtype: Any) -> Spec:
    """A spec."""
    import tensorflow as tf

    return tf.TensorSpec(shape, tf.as_dtype(dtype))


def lengths(value: Any) -> tuple[int | None, ...]:
    """The axes of an array, tensor, spec or table; an axis that is ragged or open is None."""
    shape = ask(lambda: tuple(value.shape), ())
    return tuple(None if length is None else int(length) for length in shape)


def dense(given: Any) -> Spec:
    """The spec of a batch of a dataset; ragged and sparse ones as if they were dense."""
    import tensorflow as tf

    if isinstance(given, tf.TensorSpec):
        return given
    return tf.TensorSpec(given.shape, given.dtype)


def add_batch_axis(one: Spec) -> Spec:
    """The spec of a batch of samples."""
    import tensorflow as tf

    return tf.TensorSpec((None, *one.shape), one.dtype, one.name)


def open_batch_axis(one: Spec, length: int | None) -> Spec:
    """The same spec with an open first axis, where that has this length."""
    import tensorflow as tf

    if length is None or not one.shape.rank or one.shape[0] != length:
        return one
    return tf.TensorSpec((None, *one.shape[1:]), one.dtype, one.name)


def _of(value: Any, library: str) -> bool:
    return any(base.__module__.split(".")[0] == library for base in type(value).__mro__)


def _dtype(leaf: Leaf) -> Any:
    """As NumPy or TensorFlow name it; of a table with several, the one that holds them all."""
    import numpy as np
    import tensorflow as tf

    value = leaf.value
    dtype = getattr(value, "dtype", None)
    if descends(value, "pandas", "DataFrame"):
        dtype = ask(lambda: np.asarray(value.iloc[:1]).dtype, None)
    try:
        if str(dtype) == "object" and not _is_text(value):
            raise TypeError
        return tf.as_dtype(getattr(dtype, "numpy_dtype", dtype))
    except TypeError:
        raise UsageError(
            f"Received {leaf.name} with the dtype {dtype}. Expected numbers: convert it, for "
            'example with numpy.asarray(..., dtype="float32")'
        ) from None


def _is_text(value: Any) -> bool:
    """Whether an array of Python objects holds texts, which TensorFlow takes."""
    import numpy as np

    first = next(iter(np.asarray(value[:1]).flat), None)
    return isinstance(first, str | bytes)
