"""Text and objects: the types that are there, a few examples, and nans among them."""

import itertools
import reprlib
from collections import Counter
from threading import Lock

import numpy as np

from fitguard.inputs.scan.blocks import Blocks
from fitguard.inputs.scan.pieces import Array, first_indices, slabs
from fitguard.inputs.scan.spots import MOST_PLACES, Spots
from fitguard.schema.data import Place

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 60

_shortener = reprlib.Repr()
_shortener.maxstring = _shortener.maxother = LONGEST_EXAMPLE


def holds_objects(block: Array | Blocks) -> bool:
    """Whether the values are text or Python objects: no numbers."""
    return block.dtype.kind in "OSUT"


class ObjectScan:
    """What is gathered of a field of text or objects; several threads may add to it."""

    def __init__(self) -> None:
        self.nans = Spots()
        self._types: Counter[str] = Counter()
        self._examples: list[tuple[int, str]] = []
        self._lock = Lock()

    def add(self, block: Array, first_sample: int, batch: int | None) -> None:
        """Look at all values of a block."""
        for start, slab in slabs(block):
            values = slab.reshape(-1).tolist()
            types = Counter(map(type, values))
            with self._lock:
                self._types.update({kind.__name__: number for kind, number in types.items()})
                self._add_examples(slab, values, first_sample + start)
            if any(issubclass(kind, float) for kind in types):
                self._add_nans(slab, values, first_sample + start, batch)

    @property
    def types(self) -> tuple[str, ...]:
        """The names of the types, most frequent first."""
        return tuple(name for name, _ in self._types.most_common())

    @property
    def examples(self) -> tuple[str, ...]:
        """The first values that differ."""
        return tuple(text for _, text in self._examples)

    def _add_examples(self, slab: Array, values: list[object], first: int) -> None:
        each = max(1, slab.size // len(slab))
        found = {text: sample for sample, text in self._examples}
        for number, value in enumerate(itertools.islice(values, 10 * MOST_EXAMPLES)):
            text = _format_value(value)
            found[text] = min(found.get(text, first + number // each), first + number // each)
        self._examples = sorted((sample, text) for text, sample in found.items())[:MOST_EXAMPLES]

    def _add_nans(self, slab: Array, values: list[object], first: int, batch: int | None) -> None:
        mask = np.array([isinstance(value, float) and value != value for value in values])
        self.nans.add(
            int(np.count_nonzero(mask)),
            first,
            lambda: [
                Place(sample=first + index[0], batch=batch, position=index[1:], value="nan")
                for index in first_indices(mask, (0,), slab.shape, MOST_PLACES)
            ],
        )


def _format_value(value: object) -> str:
    try:
        return _shortener.repr(value)
    except Exception:  # a whole number of more digits than Python writes
        return f"<{type(value).__name__}>"
