"""Puts a model back as it was: what was compiled, built, counted or noted meanwhile is gone.

Nothing may *run* meanwhile, only be traced: values of variables are not copied, as that would cost
as much memory as the model has weights. Variables that are made meanwhile vanish.
"""

import contextlib
import operator
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from fitguard.contract.name_counters import keeping_name_counters
from fitguard.contract.random_sources import is_random_source
from fitguard.contract.random_state import keeping_random_state, seed_eager_draws
from fitguard.contract.traces import trace_caches
from fitguard.memory.unchanged.reached import CONTAINERS, reached

_OWN_SEED = 0x66697467
"""No seed of the user's."""


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
    # A trace that is made meanwhile may use variables that vanish.
    caches = [(thing, cache) for thing in objects for cache in trace_caches(thing)]
    untraced = [(thing, cache) for thing, cache in caches if not _is_traced(cache.get(thing))]
    attributes = [(vars(thing), dict(vars(thing))) for thing in objects]
    with contextlib.ExitStack() as stack:
        stack.enter_context(keeping_random_state(filter(is_random_source, objects)))
        stack.enter_context(keeping_name_counters())
        seed_eager_draws(_OWN_SEED)
        try:
            yield
        finally:
            for now, before in (*attributes, *containers):
                _put_back(now, before)
            for thing, cache in untraced:
                cache.pop(thing, None)


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


def _is_traced(function: Any) -> bool:
    return function is not None and bool(function.experimental_get_tracing_count())


def _has_attributes(thing: object) -> bool:
    return isinstance(getattr(thing, "__dict__", None), dict)
