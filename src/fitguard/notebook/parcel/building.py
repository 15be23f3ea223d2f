"""Variables that only training makes: metrics, slots of the optimizer, layers of a lazy model.

The training process remembers shapes and dtypes of a batch; the kernel makes the same variables
from them, without any data and without running anything.
"""

import contextlib
import functools
import importlib
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.compiling import build_for
from fitguard.contract.libraries import Library
from fitguard.memory.fit_call.patching import patched

_UNPACKING = {
    "keras": "keras.src.trainers.data_adapters.data_adapter_utils",
    "tf_keras": "tf_keras.src.engine.data_adapter",
}
_FUNCTION = "unpack_x_y_sample_weight"
_LEAF = "leaf"
_batches: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()


@contextlib.contextmanager
def remembering_batches() -> Iterator[None]:
    """Remember what a batch looks like, for each model that is trained inside."""
    with patched(
        {
            "keras.src.backend.tensorflow.trainer": {
                ("TensorFlowTrainer", "fit"): functools.partial(_remembering, "keras")
            },
            "tf_keras.src.engine.training": {
                ("Model", "fit"): functools.partial(_remembering, "tf_keras")
            },
        }
    ):
        yield


def _remembering(library: str, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
        with _remembering_batch(model, library):
            return original(model, *args, **kwargs)

    return fit


@contextlib.contextmanager
def _remembering_batch(model: Any, library: str) -> Iterator[None]:
    """Keras takes a batch apart when it builds a model, or traces the first step."""
    module = importlib.import_module(_UNPACKING[library])
    original = getattr(module, _FUNCTION)

    def unpack(batch: Any) -> Any:
        if model not in _batches:
            with contextlib.suppress(ValueError):
                _batches[model] = _looks(batch)
        return original(batch)

    setattr(module, _FUNCTION, unpack)
    try:
        yield
    finally:
        setattr(module, _FUNCTION, original)


def batch_of(model: Any) -> Any:
    """Nested shapes and dtypes of a batch of this model; None where nobody has seen one."""
    return _batches.get(model)


def build_like(model: Any, library: Library, batch: Any) -> None:
    """Make the variables that training on such a batch makes."""
    if library.generation == 3:
        build_for(model, _mapped(batch, library.module().KerasTensor))
    else:
        import tensorflow as tf

        tf.function(model.train_step).get_concrete_function(_mapped(batch, tf.TensorSpec))


def _looks(batch: Any) -> Any:
    """Shapes and dtypes; ValueError for what is no symbol but data."""
    import tensorflow as tf

    if batch is None:
        return None
    if isinstance(batch, dict):
        return {name: _looks(part) for name, part in batch.items()}
    if isinstance(batch, list | tuple):
        parts = [_looks(part) for part in batch]
        return parts if isinstance(batch, list) else tuple(parts)
    if type(batch).__name__ != "KerasTensor" and not tf.is_symbolic_tensor(batch):
        raise ValueError("not symbolic")
    return (_LEAF, tuple(batch.shape), tf.as_dtype(batch.dtype).name)


def _mapped(looks: Any, make: Callable[[Any, str], Any]) -> Any:
    if looks is None:
        return None
    if isinstance(looks, dict):
        return {name: _mapped(part, make) for name, part in looks.items()}
    if isinstance(looks, tuple) and looks[0] == _LEAF:
        return make(looks[1], looks[2])
    parts = [_mapped(part, make) for part in looks]
    return parts if isinstance(looks, list) else tuple(parts)
