"""Sees which variables a step writes: statistics, seeds, counters. In a trial it writes none."""

from collections.abc import Callable
from typing import Any

from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable, ResourceVariable

from fitguard.keras.microbatch.identity import identity
from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import current


def patches() -> list[Patch]:
    return [
        (owner, name, _seen)
        for owner in (BaseResourceVariable, ResourceVariable)
        for name in ("assign", "assign_add", "assign_sub")
        if name in vars(owner)
    ]


def _seen(original: Callable[..., Any]) -> Callable[..., Any]:
    def assign(self: Any, *args: Any, **kwargs: Any) -> Any:
        split = current()
        if split is not None and split.trial:
            return self
        if split is not None:
            split.findings.assigned[identity(self)] = self
        return original(self, *args, **kwargs)

    return assign
