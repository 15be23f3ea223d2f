"""The global generators of random numbers: kept in this process, or read as data for another.

    with keeping_random_state(found_generators):
        ...  # read the user's data

Those of Python, NumPy, TensorFlow, Keras and PyTorch, but only of libraries that are loaded:
nothing is imported for it. Generator objects are kept when they are given.

What cannot be kept: the state of TensorFlow's eager random *kernels*. With an explicit `seed`, or
after `tf.random.set_seed`, `tf.random.uniform` outside of any graph counts on in a cache of kernels
that has no way to be read. Code that draws so must not be run at all.
"""

import contextlib
import random
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from fitguard.contract.libraries import find_installed_library
from fitguard.contract.random_sources import SeedSource, put_state, restore_of, state_of

_EAGER = "tensorflow.python.eager.context"
_SEED = "tensorflow-seed"


@contextlib.contextmanager
def keeping_random_state(sources: Iterable[object] = ()) -> Iterator[None]:
    """Restore all global generators, and `sources`, at the end."""
    with contextlib.ExitStack() as stack:
        for _, place, module in _find_loaded_places():
            source = place.find(module)
            if source is not None:
                stack.callback(restore_of(source))
            stack.callback(place.put, module, source)
        if (context := _eager_context()) is not None:
            stack.callback(setattr, context, "_seed", context._seed)
        for source in sources:
            stack.callback(restore_of(source))
        yield


def read_random_state(names: Collection[str] | None = None) -> dict[str, Any]:
    """The state of each, as plain data and arrays; None for a generator that was not made yet.

    Args:
        names: Only of these.
    """
    states: dict[str, Any] = {}
    for name, place, module in _find_loaded_places(names):
        source = place.find(module)
        states[name] = None if source is None else state_of(source)
    if names is None and (context := _eager_context()) is not None:
        states[_SEED] = context._seed
    return states


def write_random_state(states: dict[str, Any]) -> None:
    """Bring them into the state that `read_random_state` gave, in this process or another.

    Generators of libraries that are not loaded here, or were not there, are left alone.
    """
    if _SEED in states and (context := _eager_context()) is not None:
        context._seed = states[_SEED]
    for name, place, module in _find_loaded_places():
        if name not in states:
            continue
        source = None if states[name] is None else place.find(module) or place.make(module)
        place.put(module, source)
        if source is not None:
            put_state(source, states[name])


def is_seed(variable: Any) -> bool:
    """Whether it is what a generator of Keras 3 or TensorFlow counts on with."""
    return any(name in variable.name for name in ("seed_generator_state", "StateVar"))


def keras_seed_generator() -> Any:
    """The seed generator of Keras 3 itself; None where it was not made yet."""
    place = _PLACES["keras"]
    return place.find(sys.modules[place.module])


def seed_eager_draws(seed: int) -> None:
    """Let TensorFlow's eager operations draw with another seed; `keeping_random_state` undoes it.

    Its eager random kernels count on, one for each pair of seeds, and cannot be put back. With
    another seed the kernels of the user's seeds are left alone. `tf.random.set_seed` would reset
    them all.
    """
    if (context := _eager_context()) is not None:
        context._seed, context._rng = seed, random.Random(seed)


def seed_new_generators(seed: int) -> None:
    """From now on, NumPy generators that are made without a seed get one from a source of ours.

    `np.random.default_rng()` asks the operating system, so it would draw other numbers after a
    restart. The source is one of the global generators: snapshots keep its state, too.
    """
    import numpy.random.bit_generator as module

    if hasattr(module, "randbits"):
        module.randbits = SeedSource(seed).draw


def _find_seed_source(bit_generator: Any) -> SeedSource | None:
    """None where seeds come from the operating system."""
    source = getattr(getattr(bit_generator, "randbits", None), "__self__", None)
    return source if isinstance(source, SeedSource) else None


class _Place(NamedTuple):
    """Where a library keeps its generator.

    Args:
        find: The generator; None where it was not made yet.
        put: Makes a generator the global one; None takes away what is there.
        make: A new one, for a state to be written into.
        generation: Of Keras, where another has a module of the same name.
    """

    module: str
    find: Callable[[Any], Any]
    put: Callable[[Any, Any], None]
    make: Callable[[Any], Any]
    generation: int | None = None


def _find_loaded_places(names: Collection[str] | None = None) -> Iterator[tuple[str, _Place, Any]]:
    for name in _PLACES if names is None else names:
        place = _PLACES[name]
        module = sys.modules.get(place.module)
        package = place.module.partition(".")[0]
        if module is not None and place.generation in (
            None,
            find_installed_library(package).generation,
        ):
            yield name, place, module


def _eager_context() -> Any:
    """It has the seed of `tf.random.set_seed`; None where TensorFlow is not loaded."""
    module: Any = sys.modules.get(_EAGER)
    return None if module is None else module.context()


def _find_counter(eager_context: Any) -> Any:
    """From it each new operation takes its seed; there is none before a seed is set."""
    return getattr(eager_context.context(), "_rng", None)


def _put_counter(eager_context: Any, counter: random.Random | None) -> None:
    eager_context.context()._rng = counter


def _put_generator(operations: Any, generator: Any) -> None:
    operations.global_generator = generator


def _find_seed_generator(seed_generator: Any) -> Any:
    return seed_generator.global_state.get_global_attribute("global_seed_generator")


def _put_seed_generator(seed_generator: Any, generator: Any) -> None:
    # Keras has no call that removes an attribute: None stands for "not made yet".
    seed_generator.global_state.set_global_attribute("global_seed_generator", generator)


def _put_keras_2_counter(backend: Any, counter: random.Random | None) -> None:
    holder = backend._SEED_GENERATOR
    if counter is not None:
        holder.generator = counter
    elif hasattr(holder, "generator"):
        del holder.generator


def _keras_2(package: str) -> _Place:
    return _Place(
        f"{package}.src.backend",
        lambda backend: getattr(backend._SEED_GENERATOR, "generator", None),
        _put_keras_2_counter,
        lambda _: random.Random(),
        generation=2,
    )


def _always_there(module: str, find: Callable[[Any], Any]) -> _Place:
    return _Place(module, find, lambda *_: None, find)


_PLACES: dict[str, _Place] = {
    "tensorflow": _Place(_EAGER, _find_counter, _put_counter, lambda _: random.Random()),
    "tensorflow-generator": _Place(
        "tensorflow.python.ops.stateful_random_ops",
        lambda operations: operations.global_generator,
        _put_generator,
        # TensorFlow's own way is refused where operations must be deterministic.
        lambda operations: operations.Generator.from_seed(0),
    ),
    "keras": _Place(
        "keras.src.random.seed_generator",
        _find_seed_generator,
        _put_seed_generator,
        lambda seed_generator: seed_generator.global_seed_generator(),
    ),
    "keras-2": _keras_2("keras"),
    "tf_keras": _keras_2("tf_keras"),
    # Behind the others: Keras draws from Python's when it makes one of its own.
    "python": _always_there("random", lambda module: module._inst),
    "numpy": _always_there("numpy.random.mtrand", lambda module: module._rand),
    "numpy-seeds": _always_there("numpy.random.bit_generator", _find_seed_source),
    "torch": _always_there("torch.random", lambda module: module.default_generator),
}
"""By the name that snapshots have for it."""
