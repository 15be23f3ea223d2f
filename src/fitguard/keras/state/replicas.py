"""Values that were saved with another number of replicas than there are now."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from fitguard.keras.state import tensors


def count_saved_replicas(names: Iterable[str]) -> int:
    """How many replicas there were, by the names of the values."""
    numbers = [number for name in names for _, number in [_split(name)] if number is not None]
    return max(numbers, default=0) + 1


def adapt_replicas(
    arrays: Mapping[str, np.ndarray], variables: Iterable[tuple[str, Any]]
) -> Mapping[str, np.ndarray]:
    """The same values under the names that the replicas here have; as they are where all fit.

    What replicas add up, as metrics do, keeps its sum: what lost replicas had is given to the
    first, and new ones begin with nothing. Of all else, as moving statistics, the values of lost
    replicas are left out, and new replicas begin with those of the first.
    """
    saved = _group(arrays)
    found = dict(arrays)
    for name, variable in variables:
        parts = list(tensors.parts(name, variable))
        values = saved.get(name, [])
        if not values or len(values) == len(parts):
            continue
        for old in [key for key in _names(name, len(values)) if key in found]:
            del found[old]
        found.update(zip(parts, _deal(values, len(parts), _adds_up(variable)), strict=True))
    return found


def _deal(values: list[np.ndarray], count: int, adds_up: bool) -> list[np.ndarray]:
    kept, lost = values[:count], values[count:]
    first = kept[0]
    if not adds_up:
        return kept + [first] * (count - len(kept))
    total = np.asarray(sum(lost, start=first), dtype=first.dtype)
    return [total, *kept[1:], *[np.zeros_like(first)] * (count - len(kept))]


def _adds_up(variable: Any) -> bool:
    return str(getattr(variable, "aggregation", "")).endswith("SUM")


def _group(arrays: Mapping[str, np.ndarray]) -> dict[str, list[np.ndarray]]:
    """By the name of the variable, the values that its replicas had, in their order."""
    numbered: dict[str, dict[int, np.ndarray]] = {}
    for name, array in arrays.items():
        base, number = _split(name)
        numbered.setdefault(base, {})[number or 0] = array
    return {base: [parts[key] for key in sorted(parts)] for base, parts in numbered.items()}


def _names(name: str, count: int) -> list[str]:
    return [name] if count == 1 else [f"{name}@{number}" for number in range(count)]


def _split(name: str) -> tuple[str, int | None]:
    base, _, number = name.rpartition("@")
    return (base, int(number)) if base and number.isdigit() else (name, None)
