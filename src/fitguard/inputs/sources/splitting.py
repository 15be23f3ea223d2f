"""`validation_split`: the last part of the arrays is held out, as `fit` does it."""

import math
from collections.abc import Mapping
from typing import Any

from fitguard.inputs.sources.kinds import kind_of
from fitguard.inputs.sources.structure import Element, leaves
from fitguard.schema.exit_codes import UsageError


def split(element: Element, share: float) -> tuple[Element, tuple[Any, ...]]:
    """What remains for training, and the validation data; views, not copies.

    Raises:
        UsageError: for a share that is none, or for data that cannot be split.
    """
    if not 0 < share < 1:
        raise UsageError(f"Received validation_split={share!r}. Expected a number between 0 and 1")
    if kind_of(element.x) != "arrays":
        raise UsageError(
            f"Received validation_split={share!r} with a {type(element.x).__name__}. Expected "
            "arrays; give validation_data instead"
        )
    length = min(leaf.value.shape[0] for leaf in leaves(element.x, "x"))
    border = math.floor(length * (1 - share))
    return (
        Element(*(_cut(part, slice(None, border)) for part in element)),
        tuple(_cut(part, slice(border, None)) for part in element if part is not None),
    )


def _cut(structure: Any, part: slice) -> Any:
    if structure is None:
        return None
    if isinstance(structure, Mapping):
        return {key: _cut(item, part) for key, item in structure.items()}
    if isinstance(structure, list | tuple):
        return [_cut(item, part) for item in structure]
    return structure.iloc[part] if hasattr(structure, "iloc") else structure[part]
