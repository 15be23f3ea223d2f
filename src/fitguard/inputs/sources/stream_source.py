"""Data that comes in batches: tf.data, PyDataset, generators and functions that make them."""

import contextlib
import itertools
import time
from collections.abc import Iterable
from typing import Any

import msgspec

from fitguard.contract.random_state import keeping_random_state
from fitguard.inputs.budget import DEFAULT_SECONDS
from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.scan.field_scan import FieldScan
from fitguard.inputs.sources import pydatasets
from fitguard.inputs.sources.arrays import Table
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.inputs.sources.generators import ReadAhead
from fitguard.inputs.sources.source import Context, Seen
from fitguard.inputs.sources.streams import StreamReading
from fitguard.inputs.sources.structure import Leaf
from fitguard.inputs.wanted import build_wanted
from fitguard.schema.data import Failure, Field, Role, Source


class StreamSource:
    """What the kinds of streams share."""

    def __init__(self, stream: Any, context: Context) -> None:
        self._stream = stream
        self._context = context

    def hand_back(self) -> Any:
        """The stream itself."""
        return self._stream

    def _reading(self, *, whole_batches: bool = True) -> StreamReading:
        def make_scan(role: Role, leaf: Leaf, found: Table) -> FieldScan:
            return FieldScan(build_wanted(self._context, role, leaf, found, stream=True))

        return StreamReading(make_scan, whole_batches=whole_batches)

    def _read(
        self,
        reading: StreamReading,
        batches: Iterable[tuple[int, Any]],
        deadline: float | None,
        total: int | None,
        *,
        in_order: bool = True,
        endless: bool = False,
    ) -> None:
        """Read as far as time, stream and `fit` go.

        Args:
            total: How many batches there are; None where that is not known.
            endless: Whether it is known that the stream has no end.
        """
        known = total is not None
        if not known:
            total = _steps(self._context)
            batches = itertools.islice(batches, total)
        if endless and total is None and deadline is None:
            # Nothing has an end here: neither would `fit`.
            deadline = time.monotonic() + DEFAULT_SECONDS
        tell = self._context.progress
        name = f"{self._context.split} data"
        progress = (lambda: tell(name, reading.batches_seen, total)) if tell else None
        reading.read(batches, deadline, progress, in_order=in_order)
        # A limit that was set from outside is no end of the stream.
        reading.ended = reading.ended and (known or reading.batches_seen != total)

    def _build_seen(self, reading: StreamReading, source: Source) -> Seen:
        """The source with what was read of it, and the fields with it."""
        ended = reading.ended
        samples = reading.samples_seen if ended else source.samples
        number, size = reading.highest
        saw_last = ended or number + 1 == source.batches
        read = msgspec.structs.replace(
            source,
            samples=samples,
            batches=reading.batches_seen if ended else source.batches,
            samples_seen=reading.samples_seen,
            batches_seen=reading.batches_seen,
            complete=ended,
            batch_size=reading.first_batch_size,
            last_batch_size=size if saw_last else None,
            batch_shapes=tuple(reading.shapes),
            shapes_from=tuple(reading.shapes.values()),
            uneven=reading.uneven,
            element=reading.element,
            failure=reading.failure,
            malformed=reading.malformed,
        )
        fields = (_set_samples(scan.result(), samples) for scan in reading.scans.values())
        return Seen(read, tuple(_set_scattered_shape(field, reading) for field in fields))


class GeneratorSource(StreamSource):
    """A generator: it is read once, so what was read is handed back."""

    def __init__(self, stream: Any, context: Context) -> None:
        super().__init__(stream, context)
        self._ahead = ReadAhead(stream)

    def read(self, deadline: float | None) -> Seen:
        """The first batches, as far as time and room for keeping them allow."""
        training = self._context.training
        reading = self._reading()
        self._read(reading, enumerate(self._ahead.batches(deadline)), deadline, None)
        reading.ended = reading.ended and not self._ahead.full and not self._ahead.is_late
        nothing_came = self._ahead.is_late and not reading.batches_seen
        source = Source(
            split=self._context.split,
            kind="generator",
            container="generator",
            batches=training.steps_per_epoch,
            batched=True,
            handed_back=True,
            unread="it gave no batch within the time for reading" if nothing_came else "",
        )
        return self._build_seen(reading, source)

    def hand_back(self) -> Any:
        """A generator that begins with what was read."""
        return self._ahead.hand_back()


class PyDatasetSource(StreamSource):
    """A `keras.utils.PyDataset`, or a `Sequence` of Keras 2."""

    def read(self, deadline: float | None) -> Seen:
        """Batches spread over the whole, from a twin."""
        twin = pydatasets.twin(self._stream)
        reading = self._reading()
        try:
            number = pydatasets.number_of_batches(twin.dataset)
        except Exception as error:  # whatever the user's code raises
            reading.failure = Failure(0, f"its length: {in_one_line(error)}")
            return self._build_seen(reading, self._source(None))
        endless = number is None
        source = self._source(number, endless=endless)
        try:
            with (
                keeping_random_state(),
                contextlib.closing(pydatasets.batches(twin, number)) as batches,
            ):
                self._read(reading, batches, deadline, number, in_order=False, endless=endless)
        except Unreadable as reason:
            source = msgspec.structs.replace(source, unread=str(reason))
        return self._build_seen(reading, source)

    def _source(self, number: int | None, *, endless: bool = False) -> Source:
        return Source(
            split=self._context.split,
            kind="pydataset",
            container=type(self._stream).__name__,
            batches=number,
            endless=endless,
            batched=True,
        )


def _steps(context: Context) -> int | None:
    """How many batches `fit` will ask for; None: until the end."""
    training = context.training
    if context.split == "validation":
        return training.validation_steps
    return training.steps_per_epoch and training.steps_per_epoch * training.epochs


def _set_samples(field: Field, samples: int | None) -> Field:
    return msgspec.structs.replace(field, samples=samples)


def _set_scattered_shape(field: Field, reading: StreamReading) -> Field:
    """A sparse or ragged field as `fit` sees it: what was scanned are its stored values."""
    shape = reading.scattered.get(field.name)
    if shape is None:
        return field
    return msgspec.structs.replace(
        field,
        shape=shape,
        samples_seen=reading.samples_seen,
        labels=None,
        padding=None,
        columns=None,
    )
