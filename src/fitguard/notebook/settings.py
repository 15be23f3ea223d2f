"""Settings of Keras and TensorFlow that a user makes before training; the child gets the same."""

import functools
import importlib
import sys
from typing import Any

from fitguard.contract.libraries import find_loaded_libraries
from fitguard.contract.runtime import devices_looked_at, op_determinism_enabled

_KERAS: dict[int, dict[str, str]] = {
    2: {
        "backend.floatx": "backend.set_floatx",
        "backend.epsilon": "backend.set_epsilon",
        "backend.image_data_format": "backend.set_image_data_format",
        "mixed_precision.global_policy": "mixed_precision.set_global_policy",
    },
    3: {
        "config.floatx": "config.set_floatx",
        "config.epsilon": "config.set_epsilon",
        "config.image_data_format": "config.set_image_data_format",
        "config.dtype_policy": "config.set_dtype_policy",
    },
}
"""By generation, and by the call that reads one; the call that makes it."""
_TENSORFLOW = {
    "config.functions_run_eagerly": "config.run_functions_eagerly",
    "config.experimental.tensor_float_32_execution_enabled": (
        "config.experimental.enable_tensor_float_32_execution"
    ),
    "config.threading.get_intra_op_parallelism_threads": (
        "config.threading.set_intra_op_parallelism_threads"
    ),
    "config.threading.get_inter_op_parallelism_threads": (
        "config.threading.set_inter_op_parallelism_threads"
    ),
}
_SEEDED_DRAWS = "backend.experimental.is_tf_random_generator_enabled"
"""Of Keras 2: whether Dropout and its kin draw from generators with a state of their own."""
_WRITERS = _KERAS[2] | _KERAS[3] | _TENSORFLOW
_DETERMINISTIC = "deterministic"
_GPUS = "visible-gpus"


def read_settings() -> dict[str, Any]:
    """Those of the libraries that are loaded; nothing is loaded, and no GPU touched, for it."""
    readers = {library.package: _KERAS[library.generation] for library in find_loaded_libraries()}
    if "tensorflow" in sys.modules:
        readers["tensorflow"] = _TENSORFLOW
    found: dict[str, Any] = {
        f"{library.package}:{_SEEDED_DRAWS}": _at(library.package, _SEEDED_DRAWS)()
        for library in find_loaded_libraries()
        if library.generation == 2
    }
    for package, paths in readers.items():
        for path in paths:
            value = _at(package, path)()
            found[f"{package}:{path}"] = getattr(value, "name", value)
    if "tensorflow" in sys.modules:
        found[_DETERMINISTIC] = op_determinism_enabled()
        found[_GPUS] = _visible_gpus()
    return found


def write_settings(settings: dict[str, Any]) -> None:
    """Make them here; the libraries that they belong to are loaded."""
    if settings.get(_GPUS) is not None:
        import tensorflow as tf

        devices = tf.config.list_physical_devices("GPU")
        shown = [device for device in devices if device.name in settings[_GPUS]]
        tf.config.set_visible_devices(shown, "GPU")
    for name, value in settings.items():
        package, _, path = name.partition(":")
        if path in _WRITERS:
            _at(package, _WRITERS[path])(value)
        elif path == _SEEDED_DRAWS:
            switch = "enable" if value else "disable"
            _at(package, f"backend.experimental.{switch}_tf_random_generator")()
    if settings.get(_DETERMINISTIC):
        _at("tensorflow", "config.experimental.enable_op_determinism")()


def _visible_gpus() -> list[str] | None:
    """None where the user has not looked at devices yet: looking would start the driver."""
    if not devices_looked_at():
        return None
    return [device.name for device in sys.modules["tensorflow"].config.get_visible_devices("GPU")]


def _at(package: str, path: str) -> Any:
    module: Any = importlib.import_module(package)
    return functools.reduce(getattr, path.split("."), module)
