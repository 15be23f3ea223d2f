"""Reads batches into scans, until the stream or the time ends."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.scan.field_scan import FieldScan
from fitguard.inputs.sources.arrays import Table, table
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.pydatasets import BatchFailed
from fitguard.inputs.sources.structure import Leaf, leaves, unpack_element
from fitguard.schema.data import Failure, Role
from fitguard.schema.model import Shape

SHAPES_KEPT = 8


@dataclass
class StreamReading:
    """What was read of a stream.

    Args:
        make_scan: Makes the scan of a field that comes for the first time.
        whole_batches: False where the elements are single samples.
        element: The type of what it yields.
        highest: The highest number that a batch had, and the size of that batch.
        scattered: The shape of a sample of each sparse or ragged field.
        shapes: Those of the first field of x, each with the lowest batch that had it.
    """

    make_scan: Callable[[Role, Leaf, Table], FieldScan]
    whole_batches: bool = True
    batches_seen: int = 0
    samples_seen: int = 0
    ended: bool = False
    first_batch_size: int | None = None
    highest: tuple[int, int] = (-1, 0)
    shapes: dict[Shape, int] = field(default_factory=dict)
    uneven: Failure | None = None
    failure: Failure | None = None
    malformed: Failure | None = None
    element: str = ""
    scans: dict[str, FieldScan] = field(default_factory=dict)
    scattered: dict[str, Shape] = field(default_factory=dict)

    def read(
        self,
        batches: Iterable[tuple[int, Any]],
        deadline: float | None,
        progress: Callable[[], None] | None = None,
        *,
        in_order: bool = True,
    ) -> None:
        """Read numbered batches until the end, an error, or the time at which to stop.

        Args:
            deadline: On the clock of `time.monotonic`; None reads all. A batch that would probably
                end after it is not begun.
            in_order: Whether batches come one after another; else the number of a sample follows
                from that of its batch.
        """
        source = iter(batches)
        number = -1
        while True:
            started = time.monotonic()
            try:
                number, element = next(source)
            except StopIteration:
                self.ended = True
                return
            except Unreadable:
                raise
            except BatchFailed as failed:
                self.failure = Failure(failed.number, in_one_line(failed.__cause__ or failed))
                return
            except Exception as error:  # whatever the user's code raises
                self.failure = Failure(number + 1, in_one_line(error))
                return
            if not self._take(number, element, in_order):
                return
            if progress is not None:
                progress()
            now = time.monotonic()
            if deadline is not None and now + (now - started) > deadline:
                return

    def _take(self, number: int, element: Any, in_order: bool) -> bool:
        """Scan one batch; False where it is nothing that `fit` takes."""
        self.element = self.element or _type_of(element)
        try:
            tables = list(self._tables(element))
            if not tables:
                raise ValueError(f"Received {type(element).__name__} without any array")
        except ValueError as error:
            self.malformed = Failure(number, str(error))
            return False
        size = max(found.samples for *_, found in tables)
        first = self.samples_seen if in_order else number * (self.first_batch_size or 0)
        for role, leaf, found in tables:
            if leaf.name not in self.scans:
                self.scans[leaf.name] = self.make_scan(role, leaf, found)
            batch = number if self.whole_batches else None
            self.scans[leaf.name].add(np.asarray(found.values), first, batch, found.rows)
            if found.rows is not None:
                self.scattered[leaf.name] = found.shape[1:]
        self._count(number, size, tables)
        return True

    def _tables(self, element: Any) -> Iterator[tuple[Role, Leaf, Table]]:
        for role, part in unpack_element(element).parts():
            for leaf in leaves(part, role):
                found = table(leaf.value)
                if not self.whole_batches:
                    found = _make_batch_of_one(found)
                elif not found.values.ndim:
                    raise ValueError(f"Received a single value for {leaf.name}. Expected a batch")
                yield role, leaf, found

    def _compare(self, number: int, tables: list[tuple[Role, Leaf, Table]]) -> None:
        """Note the first batch in which the parts have different numbers of samples."""
        whole = [(leaf.name, found.samples) for _, leaf, found in tables]
        if len({samples for _, samples in whole}) > 1 and self.uneven is None:
            numbers = ", ".join(f"{name} has {samples:,}" for name, samples in whole)
            self.uneven = Failure(number, numbers)

    def _count(self, number: int, size: int, tables: list[tuple[Role, Leaf, Table]]) -> None:
        self.batches_seen += 1
        self.samples_seen += size
        if self.first_batch_size is None:
            self.first_batch_size = size
        self.highest = max(self.highest, (number, size))
        self._compare(number, tables)
        shape = next((found.shape for role, _, found in tables if role == "x"), ())
        if shape in self.shapes or len(self.shapes) < SHAPES_KEPT:
            self.shapes[shape] = min(number, self.shapes.get(shape, number))


def _make_batch_of_one(found: Table) -> Table:
    """A single sample as a batch of one."""
    shape = (1, *found.shape)
    if found.rows is not None:
        return found._replace(shape=shape, rows=lambda _: 0)
    return found._replace(values=np.asarray(found.values)[np.newaxis], shape=shape)


def _type_of(element: Any) -> str:
    """`tuple`, `list`, `dict`, `ndarray`; `tuple with a list` where x, y or the weights are one."""
    holds_list = isinstance(element, tuple) and any(isinstance(part, list) for part in element)
    return "tuple with a list" if holds_list else type(element).__name__
