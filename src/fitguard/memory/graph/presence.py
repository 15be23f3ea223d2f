"""Lets Keras trace a step as it would beside a GPU."""

import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def gpu_supposed() -> Iterator[None]:
    """Inside, TensorFlow names a GPU to those who ask for the list of devices.

    Keras asks before it chooses cuDNN's RNN, and for the layout of some convolutions. Nothing can
    be run there: the functions that are traced inside are never called.
    """
    import tensorflow as tf

    listed = tf.config.list_logical_devices

    def with_gpu(device_type: str | None = None) -> list[Any]:
        gpu = tf.config.LogicalDevice("/device:GPU:0", "GPU")
        found = listed(device_type)
        wanted = device_type in (None, "GPU") and not any(d.device_type == "GPU" for d in found)
        return [*found, gpu] if wanted else found

    tf.config.list_logical_devices = with_gpu
    _forget_devices()
    try:
        yield
    finally:
        tf.config.list_logical_devices = listed
        _forget_devices()


def _forget_devices() -> None:
    """Keras keeps the answer of some questions."""
    nn = sys.modules.get("keras.src.backend.tensorflow.nn")
    forget = getattr(getattr(nn, "_cpu_only", None), "cache_clear", None)
    if forget:
        forget()
