"""Lets Keras trace a step as it would beside a GPU."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.libraries import find_loaded_modules


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
        with _cudnn_in_keras_2():
            yield
    finally:
        tf.config.list_logical_devices = listed
        _forget_devices()


@contextlib.contextmanager
def _cudnn_in_keras_2() -> Iterator[None]:
    """Keras 2 leaves the choice of an RNN to TensorFlow, which makes it when the step runs."""
    with contextlib.ExitStack() as undone:
        for kind in ("lstm", "gru"):
            for module in find_loaded_modules(2, f"src.layers.rnn.{kind}"):
                choose, on_gpu = f"{kind}_with_backend_selection", getattr(module, f"gpu_{kind}")
                undone.callback(setattr, module, choose, getattr(module, choose))
                setattr(module, choose, functools.partial(_call_gpu_version, on_gpu))
        yield


def _call_gpu_version(
    on_gpu: Callable[..., Any],
    *,
    zero_output_for_mask: Any,  # noqa: ARG001
    **given: Any,
) -> Any:
    """What is for the other implementation alone is left out."""
    return on_gpu(**given)


def _forget_devices() -> None:
    """Keras keeps the answer of some questions, from 3.15 on."""
    for nn in find_loaded_modules(3, "src.backend.tensorflow.nn"):
        if hasattr(nn, "_cpu_only"):
            nn._cpu_only.cache_clear()
