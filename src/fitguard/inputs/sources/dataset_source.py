"""A `tf.data.Dataset`, or a distributed one."""

import contextlib
import itertools
import math
from collections.abc import Iterator
from typing import Any

import msgspec

from fitguard.contract.datasets.distributed import original_of
from fitguard.inputs.pipelines.reading import Reading, open_dataset
from fitguard.inputs.pipelines.twins import Unreadable
from fitguard.inputs.pipelines.whole_tensors import whole_tensors
from fitguard.inputs.sources.dataset_elements import fields, inputs, is_batched
from fitguard.inputs.sources.kinds import kind_of
from fitguard.inputs.sources.source import Seen
from fitguard.inputs.sources.stream_source import StreamSource
from fitguard.inputs.sources.streams import StreamReading
from fitguard.inputs.sources.structure import unpack_element
from fitguard.inputs.sources.whole import WholeArrays
from fitguard.schema.data import Source

FEW_BATCHES = 3


class DatasetSource(StreamSource):
    """Read through a twin; where there is none, judged by its stages alone."""

    def read(self, deadline: float | None) -> Seen:
        """One pass over the data, in the order of the source, as far as the time goes.

        Where the pipeline only orders and batches arrays, a few batches tell how they come, and
        the arrays themselves tell the rest.
        """
        opened = open_dataset(self._stream)
        dataset = original_of(self._stream).dataset
        spec = getattr(dataset, "element_spec", None)
        batched = is_batched(spec, opened.pipeline, self._context.model)
        source = self._source(opened, spec, batched)
        reading = self._reading(whole_batches=batched is not False)
        if opened.unread:
            return self._build_seen(reading, source)
        tensors = whole_tensors(dataset)
        try:
            with contextlib.closing(opened.batches()) as elements:
                few = None if tensors is None else FEW_BATCHES
                batches = enumerate(itertools.islice(elements, few))
                endless = bool(opened.endless)
                self._read(reading, batches, deadline, opened.elements, endless=endless)
        except Unreadable as reason:
            source = msgspec.structs.replace(source, unread=str(reason))
        if tensors is None or reading.failure or reading.malformed:
            return self._build_seen(reading, source)
        return self._whole(reading, source, tensors, deadline)

    def _whole(
        self, reading: StreamReading, source: Source, tensors: Any, deadline: float | None
    ) -> Seen:
        """What the arrays tell, with what a few batches told of how they come."""
        arrays = WholeArrays(unpack_element(tensors), self._context, stream=True)
        fields = arrays.scan(deadline)
        samples = len(arrays.tables[0][2].values)
        size = reading.first_batch_size or 1
        reading.ended = False
        few = self._build_seen(reading, source).source
        seen = min(field.samples_seen for field in fields)
        whole = msgspec.structs.replace(
            few,
            samples=samples,
            samples_seen=seen,
            batches_seen=math.ceil(seen / size) if source.batched is not False else seen,
            complete=seen == samples,
            last_batch_size=_last_batch_size(samples, size, source),
        )
        sized = tuple(
            msgspec.structs.replace(field, samples=samples, container=source.container)
            for field in fields
        )
        return Seen(whole, sized, arrays.inputs())

    def _source(self, opened: Reading, spec: Any, batched: bool | None) -> Source:
        endless = bool(opened.endless)
        return Source(
            split=self._context.split,
            kind="dataset" if kind_of(self._stream) == "dataset" else "distributed",
            container=_container(self._stream),
            batches=None if endless else opened.elements,
            endless=endless,
            batched=batched,
            unread=opened.unread,
            open_fields=tuple(_open_fields(spec)),
            rankless=tuple(_find_rankless(spec)),
            pipeline=opened.pipeline,
        )


def _last_batch_size(samples: int, size: int, source: Source) -> int | None:
    stages = source.pipeline.stages if source.pipeline else ()
    batching = [stage for stage in stages if stage.name == "batch"]
    # Behind a repeat, a batch may hold the end of one pass and the begin of the next.
    if len(batching) != 1 or any(stage.name == "repeat" for stage in stages):
        return None
    return size if batching[0].drop_remainder else samples % size or size


def _container(stream: Any) -> str:
    kind = kind_of(stream)
    return "tf.data.Dataset" if kind == "dataset" else f"tf.distribute.{type(stream).__name__}"


def _find_rankless(spec: Any) -> Iterator[str]:
    """Fields of which not even the number of axes is known beforehand."""
    for leaf in fields(spec):
        shape = getattr(leaf.value, "shape", None)
        if shape is not None and shape.rank is None:
            yield leaf.name


def _open_fields(spec: Any) -> Iterator[str]:
    """Fields of x whose last axis is not known beforehand."""
    for leaf in inputs(spec):
        shape = getattr(leaf.value, "shape", None)
        if shape is not None and (shape.rank is None or None in shape.as_list()[1:][-1:]):
            yield leaf.name
