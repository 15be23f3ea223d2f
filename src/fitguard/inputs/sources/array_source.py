"""Arrays, tensors, pandas, and lists and dicts of them."""

import math
from typing import Any

from fitguard.inputs.sources.source import Context, Seen
from fitguard.inputs.sources.structure import Element
from fitguard.inputs.sources.whole import WholeArrays
from fitguard.schema.data import Field, Source

DEFAULT_BATCH_SIZE = 32


class ArraySource:
    """The arrays that `fit` is given as x, y and sample_weight."""

    def __init__(self, element: Element, context: Context) -> None:
        self._element = element
        self._context = context

    def read(self, deadline: float | None) -> Seen:
        """Scan them, whole or evenly sampled."""
        arrays = WholeArrays(self._element, self._context)
        fields = arrays.scan(deadline)
        container = arrays.tables[0][2].container if arrays.tables else "nothing"
        return Seen(self._source(container, fields), fields, arrays.inputs())

    def hand_back(self) -> Any:
        """The arrays themselves: nothing of them was moved."""
        return self._element.x

    def _source(self, container: str, fields: tuple[Field, ...]) -> Source:
        given = self._context.batch_size
        size = DEFAULT_BATCH_SIZE if given is None else max(given, 1)
        samples = next((field.samples for field in fields if field.role == "x"), None) or 0
        return Source(
            split=self._context.split,
            kind="arrays",
            container=container,
            samples=samples,
            batches=math.ceil(samples / size),
            batched=True,
            samples_seen=min((field.samples_seen for field in fields), default=0),
            complete=all(field.samples_seen == field.samples for field in fields),
            batch_size=min(samples, size),
            last_batch_size=samples and (samples % size or size),
        )
