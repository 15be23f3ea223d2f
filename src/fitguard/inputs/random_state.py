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
from typing import Any, NamedTuple

Restore = Callable[[], None]


def is_random_source(thing: object) -> bool:
    """Whether `thing` is a generator of random numbers that can be kept."""
    return _known_kind(thing) is not None


@contextlib.contextmanager
def keeping_random_state(sources: Iterable[object] = ()) -> Iterator[None]:
    """Restore all global generators, and `sources`, at the end."""
    with contextlib.ExitStack() as stack:
        for restore in [*_global_restores(), *map(restore_of, sources)]:
            stack.callback(restore)
        yield


def restore_of(source: object) -> Restore:
    """A call that brings one generator of random numbers back to the state it has now."""
    state = state_of(source)
    return lambda: put_state(source, state)


def state_of(source: object) -> Any:
    """The state of one generator: plain data and arrays, for `put_state` here or elsewhere."""
    return _kind_of(source).read(source)


def put_state(source: object, state: Any) -> None:
    """Bring a generator into the state that `state_of` gave for one of the same kind."""
    _kind_of(source).write(source, state)


class _Kind(NamedTuple):
    """How the state of one kind of generator is read and written."""

    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None]


def _kind_of(source: object) -> _Kind:
    kind = _known_kind(source)
    if kind is None:
        raise TypeError(
            f"Received {type(source).__name__}. Expected a generator of random numbers of Python, "
            "NumPy, TensorFlow, Keras or PyTorch. Ask `is_random_source` before."
        )
    return kind


def _known_kind(thing: object) -> _Kind | None:
    if isinstance(thing, random.SystemRandom):
        return None
    if isinstance(thing, random.Random):
        return _PYTHON
    return next(
        (
            kind
            for module, names, kind in _KINDS
            if (loaded := sys.modules.get(module)) is not None
            and isinstance(thing, tuple(t for n in names if (t := getattr(loaded, n, None))))
        ),
        None,
    )


def _read_bit_generator(source: Any) -> dict[str, Any]:
    bits = getattr(source, "bit_generator", source)
    return {"state": copy.deepcopy(bits.state), "spawned": _spawned(bits)}


def _write_bit_generator(source: Any, state: dict[str, Any]) -> None:
    bits = getattr(source, "bit_generator", source)
    if _spawned(bits) != state["spawned"]:
        # `spawn` counts in the seed sequence, which only unpickling can set.
        old = bits.seed_seq
        seeds = type(old)(
            old.entropy,
            spawn_key=old.spawn_key,
            pool_size=old.pool_size,
            n_children_spawned=state["spawned"],
        )
        bits.__setstate__((state["state"], seeds))
    bits.state = state["state"]


def _spawned(bits: Any) -> int | None:
    return getattr(getattr(bits, "seed_seq", None), "n_children_spawned", None)


def _write_variable(source: Any, value: Any) -> None:
    source.state.assign(value)


_PYTHON = _Kind(random.Random.getstate, random.Random.setstate)
_KINDS: tuple[tuple[str, tuple[str, ...], _Kind], ...] = (
    (
        "numpy.random",
        ("Generator", "BitGenerator"),
        _Kind(_read_bit_generator, _write_bit_generator),
    ),
    (
        "numpy.random",
        ("RandomState",),
        _Kind(lambda source: source.get_state(legacy=False), lambda s, state: s.set_state(state)),
    ),
    (
        "tensorflow.python.ops.stateful_random_ops",
        ("Generator",),
        _Kind(lambda source: source.state.numpy(), _write_variable),
    ),
    (
        "keras.src.random.seed_generator",
        ("SeedGenerator",),
        _Kind(lambda source: source.state.numpy(), _write_variable),
    ),
    (
        "torch",
        ("Generator",),
        _Kind(lambda source: source.get_state().clone(), lambda s, state: s.set_state(state)),
    ),
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
    restore_state = restore_of(generator) if isinstance(generator, random.Random) else None

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
