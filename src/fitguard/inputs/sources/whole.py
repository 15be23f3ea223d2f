"""Arrays that are all there: scanned where they lie, field after field."""

import time
from functools import partial
from typing import Any

import msgspec
import numpy as np

from fitguard.inputs.scan.arrays import scan_array
from fitguard.inputs.scan.field_scan import FieldScan
from fitguard.inputs.sources.arrays import Table, column_dtypes, table
from fitguard.inputs.sources.scattered import in_samples
from fitguard.inputs.sources.source import Context
from fitguard.inputs.sources.structure import Element, Leaf, leaves
from fitguard.inputs.wanted import build_wanted
from fitguard.schema.data import Field, Role
from fitguard.schema.exit_codes import UsageError

# Labels and weights are small and decide most: they are read before x.
_ORDER: tuple[Role, ...] = ("y", "sample_weight", "x")


class WholeArrays:
    """The arrays of x, y and sample_weight.

    Args:
        stream: Whether they lie in a stream, whose size is not that of arrays in memory.

    Raises:
        UsageError: where one has no values, or no samples.
    """

    def __init__(self, element: Element, context: Context, *, stream: bool = False) -> None:
        self._context = context
        self._stream = stream
        self.tables = [
            (role, leaf, _read(leaf))
            for role, part in element.parts()
            for leaf in leaves(part, role)
        ]

    def scan(self, deadline: float | None) -> tuple[Field, ...]:
        """What is in them; each field gets a share of the time by its size."""
        seen: dict[str, Field] = {}
        ordered = sorted(self.tables, key=lambda entry: _ORDER.index(entry[0]))
        for number, (role, leaf, found) in enumerate(ordered):
            share = _share(found, [rest for *_, rest in ordered[number:]], deadline)
            seen[leaf.name] = self._scan(role, leaf, found, share)
        return tuple(seen[leaf.name] for _, leaf, _ in self.tables)

    def inputs(self) -> tuple[np.ndarray[Any, Any], ...]:
        """The arrays of x, to compare samples by; none where one is ragged, sparse, or large and
        no array yet."""
        found = [table for role, _, table in self.tables if role == "x"]
        arrays = [table.values for table in found if isinstance(table.values, np.ndarray)]
        plain = len(arrays) == len(found) and all(table.rows is None for table in found)
        return tuple(arrays) if plain else ()

    def _scan(self, role: Role, leaf: Leaf, found: Table, deadline: float | None) -> Field:
        scan = FieldScan(build_wanted(self._context, role, leaf, found, stream=self._stream))
        tell = self._context.progress
        if found.values.ndim and len(found.values):
            scan_array(scan, found.values, deadline, partial(tell, leaf.name) if tell else None)
        field = in_samples(scan.result(), found)
        return msgspec.structs.replace(field, column_dtypes=column_dtypes(leaf.value))


def _read(leaf: Leaf) -> Table:
    try:
        found = table(leaf.value)
    except ValueError as error:
        raise UsageError(f"{leaf.name}: {error}") from error
    if not found.shape:
        raise UsageError(
            f"Received {leaf.name}, a {found.container} with a single value. Expected an array "
            "with samples along its first axis"
        )
    return found


def _share(found: Table, rest: list[Table], deadline: float | None) -> float | None:
    """The moment at which to leave a field, so that the others get theirs by their size."""
    if deadline is None:
        return None
    now = time.monotonic()
    whole = sum(table.values.nbytes for table in rest) or 1
    return now + (deadline - now) * max(found.values.nbytes / whole, 0.05)
