"""The global generators of random numbers, as JSON: of the libraries that are loaded.

What cannot be read is the state of TensorFlow's eager random kernels, see
`fitguard.inputs.random_state`.
"""

import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from fitguard.inputs.random_state import put_state, state_of
from fitguard.keras.state.plain import decode, encode

_KERAS = "global_seed_generator"


class _Global(NamedTuple):
    """Where a library keeps its generator.

    Args:
        find: The generator, None where it was not made yet.
        make: Makes one, for a state to be put into; `drop` takes it away.
    """

    module: str
    find: Callable[[Any], Any]
    make: Callable[[Any], Any]
    drop: Callable[[Any], None]


def read_random() -> dict[str, Any]:
    """The state of each; None for a generator that was not made yet."""
    document = {}
    for name, place in _GLOBALS.items():
        if (loaded := sys.modules.get(place.module)) is not None:
            source = place.find(loaded)
            document[name] = None if source is None else encode(state_of(source))
    if (loaded := sys.modules.get(_EAGER)) is not None:
        document["tensorflow-seed"] = getattr(loaded.context(), "_seed", None)
    return document


def write_random(document: dict[str, Any]) -> None:
    """Bring them into the state that `read_random` gave, in this process or another.

    Generators of libraries that are not loaded here, or were not there, are left alone.
    """
    if "tensorflow-seed" in document and (loaded := sys.modules.get(_EAGER)) is not None:
        loaded.context()._seed = document["tensorflow-seed"]
    for name, place in _GLOBALS.items():
        loaded = sys.modules.get(place.module)
        if name not in document or loaded is None:
            continue
        if document[name] is None:
            place.drop(loaded)
            continue
        source = place.find(loaded)
        put_state(place.make(loaded) if source is None else source, decode(document[name]))


def same_random(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether both draw the same, as far as both know of a generator."""
    return all(a[name] == b[name] for name in a.keys() & b.keys())


_EAGER = "tensorflow.python.eager.context"


def _made_eager_counter(eager_context: Any) -> random.Random:
    context = eager_context.context()
    counter = context._rng = random.Random(context._seed)
    return counter


def _drop_eager_counter(eager_context: Any) -> None:
    eager_context.context()._rng = None


def _made_generator(operations: Any) -> Any:
    # TensorFlow's own way is refused where operations must be deterministic.
    operations.set_global_generator(operations.Generator.from_seed(0))
    return operations.global_generator


def _drop_generator(operations: Any) -> None:
    operations.global_generator = None


def _found_seed_generator(seed_generator: Any) -> Any:
    return seed_generator.global_state.get_global_attribute(_KERAS)


def _made_seed_generator(seed_generator: Any) -> Any:
    return seed_generator.global_seed_generator()


def _drop_seed_generator(seed_generator: Any) -> None:
    seed_generator.global_state.set_global_attribute(_KERAS, None)


def _made_tf_keras_counter(backend: Any) -> random.Random:
    counter = backend._SEED_GENERATOR.generator = random.Random()
    return counter


def _drop_tf_keras_counter(backend: Any) -> None:
    if hasattr(backend._SEED_GENERATOR, "generator"):
        del backend._SEED_GENERATOR.generator


def _never(module: Any) -> Any:
    raise AssertionError(f"{module.__name__} has a generator from the start")


_GLOBALS: dict[str, _Global] = {
    "tensorflow": _Global(
        _EAGER,
        lambda module: getattr(module.context(), "_rng", None),
        _made_eager_counter,
        _drop_eager_counter,
    ),
    "tensorflow-generator": _Global(
        "tensorflow.python.ops.stateful_random_ops",
        lambda module: module.global_generator,
        _made_generator,
        _drop_generator,
    ),
    "keras": _Global(
        "keras.src.random.seed_generator",
        _found_seed_generator,
        _made_seed_generator,
        _drop_seed_generator,
    ),
    "tf_keras": _Global(
        "tf_keras.src.backend",
        lambda module: getattr(module._SEED_GENERATOR, "generator", None),
        _made_tf_keras_counter,
        _drop_tf_keras_counter,
    ),
    # Behind the others: Keras draws from Python's when it makes one of its own.
    "python": _Global("random", lambda module: module._inst, _never, _never),
    "numpy": _Global("numpy.random.mtrand", lambda module: module._rand, _never, _never),
}
