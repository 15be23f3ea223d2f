"""Puts a model back as it was: what was compiled, built, counted or noted meanwhile is gone.

Nothing may *run* meanwhile, only be traced: values of variables are not copied, as that would cost
as much memory as the model has weights. Variables that are made meanwhile vanish.
"""

import contextlib
import functools
import operator
import random
import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from fitguard.inputs.random_state import is_random_source, keeping_random_state
from fitguard.memory.unchanged.names import keeping_name_counters
from fitguard.memory.unchanged.reached import CONTAINERS, reached

_OWN_SEED = 0x66697467
"""No seed of the user's: see `_own_eager_seed`."""


@contextlib.contextmanager
def leaving_unchanged(*roots: object) -> Iterator[None]:
    """Put back, at the end, models and all that belongs to them, and all random generators.

    Args:
        roots: Models, optimizers, losses, metrics; anything else is looked through for them.

    Example:
        with leaving_unchanged(model):
            model.compile("adam", "mse")
            step = tf.function(model.train_step).get_concrete_function(specs)
    """
    things = list(reached(roots))
    containers = [(thing, _copied(thing)) for thing in things if isinstance(thing, CONTAINERS)]
    objects = [thing for thing in things if _has_attributes(thing)]
    caches = [(thing, cache) for thing in objects for cache in _trace_caches(thing)]
    untraced = [(thing, cache) for thing, cache in caches if not _is_traced(cache.get(thing))]
    attributes = [(vars(thing), dict(vars(thing))) for thing in objects]
    with contextlib.ExitStack() as stack:
        stack.enter_context(keeping_random_state(filter(is_random_source, objects)))
        stack.enter_context(keeping_name_counters())
        stack.enter_context(_own_eager_seed())
        try:
            yield
        finally:
            for now, before in (*attributes, *containers):
                _put_back(now, before)
            for thing, cache in untraced:
                cache.pop(thing, None)


@contextlib.contextmanager
def _own_eager_seed() -> Iterator[None]:
    """Draw with a seed of our own; `keeping_random_state` puts the user's back.

    TensorFlow's eager random kernels count on, one for each pair of seeds, and cannot be put back.
    With another seed the kernels of the user's seeds are left alone. `tf.random.set_seed` would
    reset them all.
    """
    loaded: Any = sys.modules.get("tensorflow.python.eager.context")
    if loaded is not None:
        context = loaded.context()
        context._seed, context._rng = _OWN_SEED, random.Random(_OWN_SEED)
    yield


def _copied(container: Any) -> Any:
    kind = next(kind for kind in (dict, set, list) if kind is list or isinstance(container, kind))
    return kind(container)


def _put_back(now: Any, before: Any) -> None:
    """Give a container what it held before.

    With the methods of the plain classes: those of Keras' and TensorFlow's own lists and dicts
    would note the change elsewhere.
    """
    if _same(now, before):
        return
    kinds = (OrderedDict, dict, *CONTAINERS)
    kind: Any = next(kind for kind in kinds if isinstance(now, kind))
    kind.clear(now)
    if isinstance(now, dict):
        for key in before:
            kind.__setitem__(now, key, before[key])
    else:
        (kind.update if kind is set else kind.extend)(now, before)


def _same(now: Any, before: Any) -> bool:
    """Whether it holds the very same objects, in the same order."""
    if len(now) != len(before):
        return False
    if isinstance(now, dict):
        return all(map(operator.is_, now, before)) and all(
            map(operator.is_, now.values(), before.values())
        )
    return bool(now == before) if isinstance(now, set) else all(map(operator.is_, now, before))


def _trace_caches(thing: object) -> tuple[Any, ...]:
    """Where methods that are a `tf.function` keep a function of its own for each object.

    A trace that is made meanwhile may use variables that vanish.
    """
    cls: type = type(thing)
    return _trace_caches_of(cls)


def _is_traced(function: Any) -> bool:
    return getattr(function, "_variable_creation_config", None) is not None


@functools.lru_cache(maxsize=4096)
def _trace_caches_of(cls: type) -> tuple[Any, ...]:
    everything = [value for base in cls.__mro__ for value in vars(base).values()]
    methods = [vars(value) for value in everything if _has_attributes(value)]
    return tuple(m["_descriptor_cache"] for m in methods if "_descriptor_cache" in m)


def _has_attributes(thing: object) -> bool:
    return isinstance(getattr(thing, "__dict__", None), dict)
