"""The variables of a model by name: the way that leads to them from the model.

The same script gives the same names in each process, whatever was made first or lately. What is
reached on several ways has the name of the first: over layers, then metrics and losses, then the
optimizer, then all other attributes by their name.
"""

import functools
import heapq
import itertools
from collections.abc import Iterator
from typing import Any

from fitguard.contract.model_parts import unwrapped
from fitguard.inputs.models.library import ROOTS, root
from fitguard.keras.state.tensors import bare
from fitguard.memory.unchanged.reached import CONTAINERS, is_followed, parts

_LAYERS, _METRICS, _OPTIMIZER, _OTHER = range(4)
_RANKS = {
    **dict.fromkeys(
        (
            "_trainable_variables",
            "_trainable_weights",
            "_non_trainable_variables",
            "_non_trainable_weights",
            "_seed_generators",
            "_layers",
            "_self_tracked_trackables",
            "_variables",
            "_weights",
            "inner_optimizer",
            "_optimizer",
        ),
        _LAYERS,
    ),
    **dict.fromkeys(
        (
            "_loss_tracker",
            "_compile_loss",
            "_compile_metrics",
            "compiled_loss",
            "compiled_metrics",
            "_metrics",
        ),
        _METRICS,
    ),
    "optimizer": _OPTIMIZER,
}
_RANKS_OF_OPTIMIZERS = _RANKS | {"_trainable_variables": _OTHER}
"""What an optimizer trains belongs to a model; it knows it only once it is built."""
_SKIPPED = frozenset(
    (
        "_tracked",
        "_functional",
        "_operations",
        "_operations_by_depth",
        "_nodes",
        "_nodes_by_depth",
        "_inbound_nodes",
        "_outbound_nodes",
        "_auto_config",
        "_compile_config",
        "_compiled_trainable_state",
        "_self_unconditional_checkpoint_dependencies",
        "_self_unconditional_dependency_names",
        "_self_saveable_object_factories",
        "_obj_reference_counts_dict",
        "_layer_call_argspecs",
        "_trainable_variables_indices",
    )
)
"""Attributes that hold nothing, or what others hold too."""
_OURS = "fitguard"
"""The guarded train function hangs on the model, and has variables that are none of the model's."""
_NOT_OF_A_MODEL = frozenset(("Callback", "Tracker"))
_PLAIN = (type(None), bool, int, float, str, bytes)


def variables_by_way(start: Any) -> Iterator[tuple[str, Any]]:
    """Each variable that belongs to `start`, once, with its name."""
    seen: dict[int, object] = {}
    numbers = itertools.count()
    waiting = [(0, next(numbers), "", start)]
    while waiting:
        rank, _, way, thing = heapq.heappop(waiting)
        thing = unwrapped(thing)
        variable = bare(thing)
        thing = thing if variable is None else variable
        if id(thing) in seen:
            continue
        if variable is not None:
            seen[id(thing)] = thing
            yield way, thing
        elif is_followed(thing) and _may_hold(thing):
            seen[id(thing)] = thing
            for edge, name, part in _ranked(thing):
                entry = (max(rank, edge), next(numbers), f"{way}.{name}" if way else name, part)
                heapq.heappush(waiting, entry)


def _ranked(thing: Any) -> list[tuple[int, str, Any]]:
    """What it holds that may hold variables: attributes by name, items in their order."""
    found = [
        (name, part)
        for name, part in parts(thing)
        if not isinstance(part, _PLAIN) and not _is_empty(part)
    ]
    if isinstance(thing, (*CONTAINERS, tuple)):
        return [(_LAYERS, name, part) for name, part in found]
    ranks = _RANKS_OF_OPTIMIZERS if _is_optimizer(thing) else _RANKS
    ranked = [(ranks.get(name, _OTHER), name, part) for name, part in found if name not in _SKIPPED]
    return sorted(ranked, key=lambda part: part[:2])


def _may_hold(thing: Any) -> bool:
    cls: type = type(thing)
    return _may_hold_class(cls)


@functools.lru_cache(maxsize=4096)
def _may_hold_class(cls: type) -> bool:
    return root(cls) != _OURS and not any(
        base.__name__ in _NOT_OF_A_MODEL and root(base) in ROOTS for base in cls.__mro__
    )


def _is_optimizer(thing: Any) -> bool:
    return "_iterations" in getattr(thing, "__dict__", ())


def _is_empty(part: Any) -> bool:
    return isinstance(part, list | dict | set | tuple) and not part
