"""Keeps random number generators as they are: what is drawn inside is drawn again after.

    with keeping_random_state(found_generators):
        ...  # read the user's data

The global generators of Python, NumPy, TensorFlow, Keras and PyTorch are kept always, but only
those of libraries that are loaded: nothing is imported for it. Generator objects are kept when they
are given.

What cannot be kept: the state of TensorFlow's eager random *kernels*. With an explicit `seed`, or
after `tf.random.set_seed`, `tf.random.uniform` outside of any graph counts on in a cache of kernels
that has no way to be read. Code that draws so must not be run at all.
"""

import contextlib
import copy
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

Restore = Callable[[], None]


def is_random_source(thing: object) -> bool:
    """Whether `thing` is a generator of random numbers that can be kept."""
    return _saver(thing) is not None


@contextlib.contextmanager
def keeping_random_state(sources: Iterable[object] = ()) -> Iterator[None]:
    """Restore all global generators, and `sources`, at the end."""
    with contextlib.ExitStack() as stack:
        for restore in [*_global_restores(), *map(restore_of, sources)]:
            stack.callback(restore)
        yield


def restore_of(source: object) -> Restore:
    """A call that brings one generator of random numbers back to the state it has now."""
    saver = _saver(source)
    if saver is None:
        raise TypeError(
            f"Received {type(source).__name__}. Expected a generator of random numbers of Python, "
            "NumPy, TensorFlow, Keras or PyTorch. Ask `is_random_source` before."
        )
    return saver(source)


def _saver(thing: object) -> Callable[[Any], Restore] | None:
    if isinstance(thing, random.SystemRandom):
        return None
    if isinstance(thing, random.Random):
        return _python_restore
    return next(
        (
            saver
            for module, names, saver in _KINDS
            if (loaded := sys.modules.get(module)) is not None
            and isinstance(thing, tuple(t for n in names if (t := getattr(loaded, n, None))))
        ),
        None,
    )


def _python_restore(source: random.Random) -> Restore:
    state = source.getstate()
    return lambda: source.setstate(state)


def _bit_generator_restore(source: Any) -> Restore:
    bits = getattr(source, "bit_generator", source)
    state = copy.deepcopy(bits.state)
    seeds = getattr(bits, "seed_seq", None)
    spawned = getattr(seeds, "n_children_spawned", None)
    kept_seeds = copy.deepcopy(seeds)

    def restore() -> None:
        # `spawn` counts in the seed sequence, which only unpickling can set.
        if getattr(getattr(bits, "seed_seq", None), "n_children_spawned", None) != spawned:
            bits.__setstate__((state, kept_seeds))
        bits.state = state

    return restore


def _random_state_restore(source: Any) -> Restore:
    state = source.get_state(legacy=False)
    return lambda: source.set_state(state)


def _variable_restore(source: Any) -> Restore:
    variable = source.state
    value = variable.numpy()

    def restore() -> None:
        variable.assign(value)

    return restore


def _torch_restore(source: Any) -> Restore:
    state = source.get_state().clone()

    def restore() -> None:
        source.set_state(state)

    return restore


_KINDS: tuple[tuple[str, tuple[str, ...], Callable[[Any], Restore]], ...] = (
    ("numpy.random", ("Generator", "BitGenerator"), _bit_generator_restore),
    ("numpy.random", ("RandomState",), _random_state_restore),
    ("tensorflow.python.ops.stateful_random_ops", ("Generator",), _variable_restore),
    ("keras.src.random.seed_generator", ("SeedGenerator",), _variable_restore),
    ("torch", ("Generator",), _torch_restore),
)


def _global_restores() -> Iterator[Restore]:
    state = random.getstate()
    yield lambda: random.setstate(state)
    for module, save in _GLOBALS:
        loaded = sys.modules.get(module)
        if loaded is not None:
            yield save(loaded)


def _numpy_globals(numpy_random: Any) -> Restore:
    state = numpy_random.get_state(legacy=False)
    return lambda: numpy_random.set_state(state)


def _tensorflow_globals(eager_context: Any) -> Restore:
    """The counter behind `tf.random.set_seed`, from which each new operation takes its seed."""
    context = eager_context.context()
    counter = getattr(context, "_rng", None)
    seed = getattr(context, "_seed", None)
    state = counter.getstate() if counter is not None else None

    def restore() -> None:
        if counter is not None:
            counter.setstate(state)
        context._rng = counter
        context._seed = seed

    return restore


def _tensorflow_generator(stateful_random_ops: Any) -> Restore:
    generator = getattr(stateful_random_ops, "global_generator", None)
    restore_state = restore_of(generator) if generator is not None else None

    def restore() -> None:
        stateful_random_ops.global_generator = generator
        if restore_state is not None:
            restore_state()

    return restore


def _keras_globals(global_state: Any) -> Restore:
    name = "global_seed_generator"
    generator = global_state.get_global_attribute(name)
    restore_state = restore_of(generator) if generator is not None else None

    def restore() -> None:
        # Keras has no call that removes an attribute: None stands for "not made yet".
        global_state.set_global_attribute(name, generator)
        if restore_state is not None:
            restore_state()

    return restore


def _tf_keras_globals(backend: Any) -> Restore:
    holder: Any = getattr(backend, "_SEED_GENERATOR", None)
    generator = getattr(holder, "generator", None)
    restore_state = _python_restore(generator) if isinstance(generator, random.Random) else None

    def restore() -> None:
        if restore_state is not None:
            restore_state()
        elif hasattr(holder, "generator"):
            del holder.generator

    return restore


def _torch_globals(torch_random: Any) -> Restore:
    state = torch_random.get_rng_state().clone()
    return lambda: torch_random.set_rng_state(state)


_GLOBALS: tuple[tuple[str, Callable[[Any], Restore]], ...] = (
    ("numpy.random", _numpy_globals),
    ("tensorflow.python.eager.context", _tensorflow_globals),
    ("tensorflow.python.ops.stateful_random_ops", _tensorflow_generator),
    ("keras.src.backend.common.global_state", _keras_globals),
    ("tf_keras.src.backend", _tf_keras_globals),
    ("torch.random", _torch_globals),
)
