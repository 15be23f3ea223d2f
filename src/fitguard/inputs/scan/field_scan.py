"""Gathers one field, block by block."""

from threading import Lock

import numpy as np

from fitguard.inputs.scan.close_look import Rows
from fitguard.inputs.scan.columns import ColumnScan
from fitguard.inputs.scan.fractions import FractionScan
from fitguard.inputs.scan.labels import LabelCount
from fitguard.inputs.scan.numbers import NumberScan
from fitguard.inputs.scan.objects import ObjectScan, holds_objects
from fitguard.inputs.scan.padding import PaddingScan
from fitguard.inputs.scan.pieces import Array
from fitguard.inputs.scan.wanted import Wanted
from fitguard.schema.data import Field, Spotted
from fitguard.schema.model import Shape


class FieldScan:
    """What is seen of one field, a whole array or the batches of a stream.

    Blocks may come in any order and from several threads. Nothing of a block is kept.

    Example:
        scan = FieldScan(Wanted(role="x", name="x", container="numpy.ndarray"))
        scan.add(images[:1000], first_sample=0)
        scan.result().nans.count
    """

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._dtype: str | None = None
        self._shape: Shape | None = None
        self._samples_seen = 0
        self._numbers = NumberScan(wanted.allowed, wanted.ignored)
        self._objects = ObjectScan()
        self._labels = LabelCount() if wanted.labels else None
        self._columns = ColumnScan() if wanted.columns else None
        self._padding = PaddingScan(wanted.mask_value) if wanted.mask_value is not None else None
        self._fractions = FractionScan() if wanted.fractions else None
        self._lock = Lock()

    def add(
        self, block: Array, first_sample: int, batch: int | None = None, rows: Rows | None = None
    ) -> None:
        """Look at some samples.

        Args:
            block: Its first axis are the samples; a single value counts as one sample.
            first_sample: The number of its first one, from the beginning of the data.
            batch: The number of the batch, for a stream.
            rows: Of the stored values of a sparse or ragged array: tells the sample of each.
        """
        # The plain array under a masked one or a memory map: Keras, too, takes that.
        block = np.atleast_1d(np.asarray(block))
        self._take_shape(block)
        if not block.size:
            return
        if holds_objects(block):
            self._objects.add(block, first_sample, batch)
        else:
            self._numbers.add(block, first_sample, batch, rows)
        if self._labels is not None:
            self._labels.add(block)
        if self._columns is not None:
            self._columns.add(block)
        if self._padding is not None:
            self._padding.add(block, first_sample, batch)
        if self._fractions is not None:
            self._fractions.add(block, first_sample, batch)

    def result(self) -> Field:
        """What was seen until now."""
        wanted = self._wanted
        minimum, maximum = self._numbers.range()
        nans = self._numbers.nans.result()
        return Field(
            split=wanted.split,
            role=wanted.role,
            name=wanted.name,
            target=wanted.target,
            container=wanted.container,
            dtype=wanted.dtype if self._dtype is None else self._dtype,
            shape=wanted.shape if self._shape is None else self._shape,
            samples=wanted.samples,
            size_bytes=wanted.size_bytes,
            mapped=wanted.mapped,
            samples_seen=self._samples_seen,
            minimum=minimum,
            maximum=maximum,
            nans=nans if nans.count else self._objects.nans.result(),
            infinities=self._numbers.infinities.result(),
            allowed=wanted.allowed,
            outside=self._numbers.outside.result(),
            fractions=self._fractions.result() if self._fractions else Spotted(0),
            labels=self._labels.result() if self._labels else None,
            padding=self._padding.result() if self._padding else None,
            columns=self._columns.result() if self._columns else None,
            python_types=self._objects.types,
            examples=self._objects.examples,
        )

    def _take_shape(self, block: Array) -> None:
        with self._lock:
            self._samples_seen += len(block)
            self._dtype = str(block.dtype) if self._dtype is None else self._dtype
            shape = block.shape[1:]
            self._shape = shape if self._shape is None else _join_shapes(self._shape, shape)


def _join_shapes(one: Shape, other: Shape) -> Shape:
    """None on the axes that differ; where the ranks do, nothing is known but the higher one."""
    if len(one) != len(other):
        return (None,) * max(len(one), len(other))
    return tuple(a if a == b else None for a, b in zip(one, other, strict=True))
