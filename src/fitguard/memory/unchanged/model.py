"""Puts a model back as it was: what was compiled, built, counted or noted meanwhile is gone.

Nothing may *run* meanwhile, only be traced: values of variables are not copied, as that would cost
as much memory as the model has weights. Variables that are made meanwhile vanish.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from fitguard.contract.name_counters import keeping_name_counters
from fitguard.contract.random_sources import is_random_source
from fitguard.contract.random_state import keeping_random_state, seed_eager_draws
from fitguard.contract.traces import trace_caches
from fitguard.memory.unchanged.reached import Belongings, has_attributes
from fitguard.state.keep import putting_back

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
    nodes = list(Belongings().follow(roots))
    objects = [node.thing for node in nodes if has_attributes(node.thing)]
    # A trace that is made meanwhile may use variables that vanish.
    caches = [(thing, cache) for thing in objects for cache in trace_caches(thing)]
    untraced = [(thing, cache) for thing, cache in caches if not _is_traced(cache.get(thing))]
    with contextlib.ExitStack() as stack:
        stack.enter_context(keeping_random_state(filter(is_random_source, objects)))
        stack.enter_context(keeping_name_counters())
        seed_eager_draws(_OWN_SEED)
        for thing, cache in untraced:
            stack.callback(cache.pop, thing, None)
        stack.enter_context(putting_back(nodes))
        yield


def _is_traced(function: Any) -> bool:
    return function is not None and bool(function.experimental_get_tracing_count())
