"""Variables that only training makes: metrics, slots of the optimizer, layers of a lazy model.

The training process remembers shapes and dtypes of a batch; the kernel makes the same variables
from them, without any data and without running anything.
"""

import contextlib
import functools
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.compiling import build_for
from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import patching

_LEAF = "leaf"
_batches: "weakref.WeakKeyDictionary[Any, Any]" = weakref.WeakKeyDictionary()
_here = threading.local()


@contextlib.contextmanager
def remembering_batches() -> Iterator[None]:
    """Remember what a batch looks like, for each model that is trained inside.

    Keras takes a batch apart when it builds a model, or traces the first step.
    """
    with patching({Role.FIT: _remembering, Role.BATCH_UNPACKED: _unpacking}):
        yield


def _remembering(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    @functools.wraps(original)
    def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
        outer, _here.model = getattr(_here, "model", None), model
        try:
            return original(model, *args, **kwargs)
        finally:
            _here.model = outer

    return fit


def _unpacking(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    @functools.wraps(original)
    def unpack(batch: Any) -> Any:
        model = getattr(_here, "model", None)
        if model is not None and model not in _batches:
            with contextlib.suppress(ValueError):
                _batches[model] = _looks(batch)
        return original(batch)

    return unpack


def batch_of(model: Any) -> Any:
    """Nested shapes and dtypes of a batch of this model; None where nobody has seen one."""
    return _batches.get(model)


def build_like(model: Any, library: Library, batch: Any) -> None:
    """Make the variables that training on such a batch makes."""
    if library.generation == 3:
        build_for(model, _map_leaves(batch, library.module().KerasTensor))
    else:
        import tensorflow as tf

        tf.function(model.train_step).get_concrete_function(_map_leaves(batch, tf.TensorSpec))


def _looks(batch: Any) -> Any:
    """Shapes and dtypes; ValueError for what has none, or more than these."""
    import tensorflow as tf

    if batch is None:
        return None
    if isinstance(batch, dict):
        return {name: _looks(part) for name, part in batch.items()}
    if isinstance(batch, list | tuple):
        parts = [_looks(part) for part in batch]
        return parts if isinstance(batch, list) else tuple(parts)
    if isinstance(batch, tf.RaggedTensor | tf.SparseTensor) or not hasattr(batch, "shape"):
        raise ValueError("not dense")
    shape = tuple(batch.shape)
    if type(batch).__name__ != "KerasTensor" and not tf.is_symbolic_tensor(batch):
        # Data: where Keras reads Python objects it looks at a first batch. Others may be shorter.
        shape = (None, *shape[1:])
    return (_LEAF, shape, tf.as_dtype(batch.dtype).name)


def _map_leaves(looks: Any, make: Callable[[Any, str], Any]) -> Any:
    if looks is None:
        return None
    if isinstance(looks, dict):
        return {name: _map_leaves(part, make) for name, part in looks.items()}
    if isinstance(looks, tuple) and looks[0] == _LEAF:
        return make(looks[1], looks[2])
    parts = [_map_leaves(part, make) for part in looks]
    return parts if isinstance(looks, list) else tuple(parts)
