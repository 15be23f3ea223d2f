"""Settings of Keras and TensorFlow that a user makes before training; the child gets the same."""

import functools
import importlib
import sys
from typing import Any

_SETTINGS: dict[str, tuple[str, str]] = {
    "keras:config.floatx": ("keras", "config.set_floatx"),
    "keras:config.epsilon": ("keras", "config.set_epsilon"),
    "keras:config.image_data_format": ("keras", "config.set_image_data_format"),
    "keras:config.dtype_policy": ("keras", "config.set_dtype_policy"),
    "tf_keras:backend.floatx": ("tf_keras", "backend.set_floatx"),
    "tf_keras:backend.epsilon": ("tf_keras", "backend.set_epsilon"),
    "tf_keras:backend.image_data_format": ("tf_keras", "backend.set_image_data_format"),
    "tf_keras:mixed_precision.global_policy": ("tf_keras", "mixed_precision.set_global_policy"),
    "tensorflow:config.functions_run_eagerly": ("tensorflow", "config.run_functions_eagerly"),
    "tensorflow:config.experimental.tensor_float_32_execution_enabled": (
        "tensorflow",
        "config.experimental.enable_tensor_float_32_execution",
    ),
    "tensorflow:config.threading.get_intra_op_parallelism_threads": (
        "tensorflow",
        "config.threading.set_intra_op_parallelism_threads",
    ),
    "tensorflow:config.threading.get_inter_op_parallelism_threads": (
        "tensorflow",
        "config.threading.set_inter_op_parallelism_threads",
    ),
}
"""By the call that reads one; the call that makes it."""
_DETERMINISTIC = "deterministic"
_GPUS = "visible-gpus"


def read_settings() -> dict[str, Any]:
    """Those of the libraries that are loaded; nothing is loaded, and no GPU touched, for it."""
    found: dict[str, Any] = {}
    for reader in _SETTINGS:
        library, _, path = reader.partition(":")
        if library in sys.modules:
            value = _at(library, path)()
            found[reader] = getattr(value, "name", value)
    if "tensorflow" in sys.modules:
        from tensorflow.python.framework.config import is_op_determinism_enabled

        found[_DETERMINISTIC] = is_op_determinism_enabled()
        found[_GPUS] = _visible_gpus()
    return found


def write_settings(settings: dict[str, Any]) -> None:
    """Make them here; the libraries that they belong to are loaded."""
    if settings.get(_GPUS) is not None:
        import tensorflow as tf

        devices = tf.config.list_physical_devices("GPU")
        shown = [device for device in devices if device.name in settings[_GPUS]]
        tf.config.set_visible_devices(shown, "GPU")
    for reader, (library, writer) in _SETTINGS.items():
        if reader in settings:
            _at(library, writer)(settings[reader])
    if settings.get(_DETERMINISTIC):
        _at("tensorflow", "config.experimental.enable_op_determinism")()


def _visible_gpus() -> list[str] | None:
    """None where the user has not looked at devices yet: looking would start the driver."""
    from tensorflow.python.eager import context

    if context.context()._physical_devices is None:
        return None
    return [device.name for device in sys.modules["tensorflow"].config.get_visible_devices("GPU")]


def _at(library: str, path: str) -> Any:
    module: Any = importlib.import_module(library)
    return functools.reduce(getattr, path.split("."), module)
