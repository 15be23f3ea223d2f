"""Random numbers of a micro-batch: those that its rows would have had in the whole batch.

TensorFlow's stateless draws count in blocks (Philox: 128 bits a block). The numbers of rows 8 to 12
are had without those before them: the counter moves on by the blocks before.

Not so under XLA for normal draws, which pair the first half of the tensor with the second, and for
truncated ones, which reject: there the whole batch is drawn, and cut.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import tensorflow as tf

from fitguard.contract.graphs import constant_shape
from fitguard.contract.libraries import Library
from fitguard.keras.microbatch.split import Split, current, in_own_graph

_BLOCK_BYTES = 16
_THREEFRY = 2
_NESTED = (
    "Random numbers that are drawn inside a tf.function of the model's own are not those of the"
    " whole batch."
)


def wrap_draw(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    """For the stateless draws of TensorFlow that have a shape."""
    parameters = inspect.signature(original)
    normal, truncated = "normal" in original.__name__, "truncated" in original.__name__

    @functools.wraps(original)
    def draw(*args: Any, **kwargs: Any) -> Any:
        split = current()
        bound = parameters.bind(*args, **kwargs)
        bound.apply_defaults()
        arguments = bound.arguments
        if split is None or not _has_rows(arguments["shape"], split):
            return original(**arguments)
        if not in_own_graph(split):
            split.findings.note(_NESTED)
            return original(**arguments)
        movable = not truncated and not (normal and split.jit) and _is_philox(arguments["alg"])
        return (_draw_from_block if movable else _draw_and_slice)(original, arguments, split)

    return draw


def _has_rows(shape: Any, split: Split) -> bool:
    """Whether the first axis is that of the batch: its size is not known while a graph is traced.

    An axis of a known size, such as the 1 of a `noise_shape`, is the same draw for all rows.
    """
    shape = tf.convert_to_tensor(shape)
    if shape.shape.rank != 1 or shape.shape[0] == 0:
        return False
    if tf.executing_eagerly():
        return int(shape[0]) % int(split.rows) == 0
    return constant_shape(shape)[0] is None


def _is_philox(algorithm: Any) -> bool:
    return bool(tf.get_static_value(algorithm) != _THREEFRY)


def _draw_from_block(original: Callable[..., Any], arguments: dict[str, Any], split: Split) -> Any:
    """Draw from the block where the first row begins."""
    shape = tf.cast(arguments["shape"], tf.int64)
    size = tf.reduce_prod(shape)
    in_block = _BLOCK_BYTES // max(_dtype(arguments).size, 4)
    before = _rows_before(size, split) * (size // tf.cast(split.rows, tf.int64))
    blocks = tf.cast(before // in_block, tf.uint64)
    counter = arguments["counter"] + tf.stack([blocks, tf.zeros((), tf.uint64)])
    flat = original(**{**arguments, "shape": [size + in_block - 1], "counter": counter})
    return tf.reshape(tf.slice(flat, [before % in_block], [size]), shape)


def _draw_and_slice(original: Callable[..., Any], arguments: dict[str, Any], split: Split) -> Any:
    """Draw for the whole batch, and keep the rows of the piece."""
    shape = tf.cast(arguments["shape"], tf.int64)
    each = shape[0] // tf.cast(split.rows, tf.int64)
    whole = tf.concat([[each * tf.cast(split.whole, tf.int64)], shape[1:]], axis=0)
    begin = tf.concat([[each * tf.cast(split.start, tf.int64)], tf.zeros_like(shape[1:])], axis=0)
    return tf.slice(original(**{**arguments, "shape": whole}), begin, shape)


def _rows_before(size: Any, split: Split) -> Any:
    divides = tf.equal(size % tf.cast(split.rows, tf.int64), 0)
    return tf.where(divides, tf.cast(split.start, tf.int64), tf.zeros((), tf.int64))


def _dtype(arguments: dict[str, Any]) -> Any:
    return tf.as_dtype(arguments.get("dtype") or arguments["minval"].dtype)
