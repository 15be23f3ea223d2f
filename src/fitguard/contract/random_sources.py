"""Generators of random numbers, as objects: which there are, their state, and how it is put back.

Only libraries that are loaded are looked at: nothing is imported for it.
"""

import copy
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

Restore = Callable[[], None]


def is_random_source(thing: object) -> bool:
    """Whether `thing` is a generator of random numbers that can be kept."""
    return _find_kind(thing) is not None


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
    kind = _find_kind(source)
    if kind is None:
        raise TypeError(
            f"Received {type(source).__name__}. Expected a generator of random numbers of Python, "
            "NumPy, TensorFlow, Keras or PyTorch. Ask `is_random_source` before."
        )
    return kind


def _find_kind(thing: object) -> _Kind | None:
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
    return {"state": copy.deepcopy(bits.state), "spawned": _count_spawned(bits)}


def _write_bit_generator(source: Any, state: dict[str, Any]) -> None:
    bits = getattr(source, "bit_generator", source)
    if _count_spawned(bits) != state["spawned"]:
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


def _count_spawned(bits: Any) -> int | None:
    return getattr(getattr(bits, "seed_seq", None), "n_children_spawned", None)


def _write_variable(source: Any, value: Any) -> None:
    source.state.assign(value)


def _write_torch(source: Any, state: Any) -> None:
    source.set_state(sys.modules["torch"].from_numpy(state))


class SeedSource:
    """Gives seeds, one after the other; its state is how many it gave, which is quick to compare.

    Args:
        seed: Of the run.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.drawn = 0

    def draw(self, bits: int) -> int:
        """The next seed."""
        self.drawn += 1
        return random.Random(f"{self.seed}/{self.drawn}").getrandbits(bits)


def _write_drawn(source: SeedSource, drawn: int) -> None:
    source.drawn = drawn


_PYTHON = _Kind(random.Random.getstate, random.Random.setstate)
_KINDS: tuple[tuple[str, tuple[str, ...], _Kind], ...] = (
    (__name__, ("SeedSource",), _Kind(lambda source: source.drawn, _write_drawn)),
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
        _Kind(lambda source: source.get_state().numpy().copy(), _write_torch),
    ),
)
