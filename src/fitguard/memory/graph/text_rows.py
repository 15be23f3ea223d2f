"""Tells the trace how many rows a layer gives that cuts text into words."""

import contextlib
from collections.abc import Iterator
from typing import Any

from fitguard.inputs.models.host_layers import text_layers


@contextlib.contextmanager
def telling_rows(model: Any) -> Iterator[None]:
    """Inside, what `TextVectorization` gives has as many rows as what it is given.

    TensorFlow cannot tell, since words come in ragged rows; without it, the size of all that the
    layers behind it compute would be a guess.
    """
    layers = [] if model is None else text_layers(model)
    with contextlib.ExitStack() as undone:
        for layer in layers:
            undone.callback(delattr, layer, "call")
            layer.call = _with_rows(layer.call)
        yield


def _with_rows(call: Any) -> Any:
    import tensorflow as tf

    def call_with_rows(inputs: Any, *arguments: Any, **named: Any) -> Any:
        result = call(inputs, *arguments, **named)
        rows = getattr(inputs, "shape", (None,))[0]
        if isinstance(result, tf.Tensor) and result.shape.rank and result.shape[0] is None:
            result.set_shape((rows, *result.shape[1:]))
        return result

    return tf.autograph.experimental.do_not_convert(call_with_rows)
