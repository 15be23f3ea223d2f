"""The specs of a batch as JSON, and back: lists become tuples, as `fit` makes them."""

from collections.abc import Mapping
from typing import Any


def as_json(data: Any) -> Any:
    """Nested tuples and dicts of `tf.TensorSpec` as plain lists and dicts."""
    if data is None:
        return None
    if isinstance(data, Mapping):
        return {"parts": {str(key): as_json(part) for key, part in data.items()}}
    if isinstance(data, list | tuple):
        return [as_json(part) for part in data]
    return {"shape": data.shape.as_list(), "dtype": data.dtype.name}


def from_json(given: Any) -> Any:
    """What `as_json` was given."""
    import tensorflow as tf

    if given is None:
        return None
    if isinstance(given, list):
        return tuple(from_json(part) for part in given)
    if "parts" in given:
        return {key: from_json(part) for key, part in given["parts"].items()}
    return tf.TensorSpec(given["shape"], given["dtype"])
