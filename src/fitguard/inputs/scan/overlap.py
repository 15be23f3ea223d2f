"""Looks for validation samples that are among the training samples too."""

import math
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from fitguard.inputs.scan.extremes import in_numpy
from fitguard.inputs.scan.objects import holds_objects
from fitguard.inputs.scan.pieces import Array
from fitguard.inputs.scan.sample_keys import SampleKeys, digest
from fitguard.inputs.scan.spots import MOST_PLACES
from fitguard.inputs.scan.visits import spread
from fitguard.schema.data import Overlap, Place, Spotted

MOST_COMPARED, FEWEST_COMPARED, COMPARED_BYTES = 2000, 50, 1 << 30
FEWEST_VALUES = 4
"""Samples with fewer values are equal by chance."""
MANY_VALUES = 16
"""So many whole numbers are hardly equal by chance."""
BLOCK_BYTES = 1 << 23
MOST_SAMPLES, FEWEST_SAMPLES = 1 << 14, 16
"""Of a block between two looks at the clock."""


def find_overlap(
    validation: Sequence[Array], training: Sequence[Array], deadline: float | None = None
) -> Overlap | None:
    """How many of the validation samples have the same values, in all fields, as a training sample.

    Up to 2,000 validation samples, evenly spread, are looked for in the training samples: by a key
    over a few positions first, then value by value. Samples of one value only, such as an empty
    image, are left out, and so are those that are equal to one another: such are equal to training
    samples by chance.

    Args:
        validation: The fields of x; samples along the first axis.
        training: The same fields, in the same order.
        deadline: On the clock of `time.monotonic`; None: look through everything.

    Returns:
        None where the samples cannot be compared: other fields or shapes, nothing in them, fewer
        than four values in a sample, or objects that raise.
    """
    validation = [np.asarray(field) for field in validation]
    training = [np.asarray(field) for field in training]
    if not _comparable(validation, training):
        return None
    samples = min(len(field) for field in validation)
    most = min(MOST_COMPARED, max(FEWEST_COMPARED, COMPARED_BYTES // _sample_bytes(validation)))
    numbers = np.unique(np.linspace(0, samples - 1, min(samples, most)).astype(np.intp))
    try:
        search = _Search(validation, training, numbers)
        among = search.run(deadline) if search.compared else 0
    except Exception:
        if any(map(holds_objects, validation)):  # which may raise when they are compared
            return None
        raise
    if not search.compared:
        return None
    places = [
        Place(sample=number, value=str(found)) for number, found in sorted(search.found.items())
    ]
    spotted = Spotted(len(places), tuple(places[:MOST_PLACES]))
    return Overlap(search.compared, among, spotted, _whole(validation, numbers))


def _comparable(validation: Sequence[Array], training: Sequence[Array]) -> bool:
    if not validation or len(validation) != len(training):
        return False
    pairs = list(zip(validation, training, strict=True))
    if not all(one.ndim and one.size and other.ndim and other.size for one, other in pairs):
        return False
    if not all(
        one.shape[1:] == other.shape[1:] and holds_objects(one) == holds_objects(other)
        for one, other in pairs
    ):
        return False
    text = any(holds_objects(field) for field in validation)
    return text or _values(validation) >= FEWEST_VALUES


def _whole(fields: Sequence[Array], numbers: Array) -> bool:
    """Whether short samples hold whole numbers only; of long ones it does not matter."""
    if any(holds_objects(field) for field in fields) or _values(fields) >= MANY_VALUES:
        return False
    return all(_no_fractions(in_numpy(field[numbers])) for field in fields)


def _no_fractions(values: Array) -> bool:
    return values.dtype.kind in "biu" or bool((values == np.rint(values)).all())


def _values(fields: Sequence[Array]) -> int:
    return sum(math.prod(field.shape[1:]) for field in fields)


def _sample_bytes(fields: Sequence[Array]) -> int:
    return max(1, sum(field.nbytes // len(field) for field in fields))


class _Search:
    """Goes through the training samples, in blocks, for as long as there is time.

    A few values make a key. Where several validation samples have the same one, all their values
    make a digest. Training samples with a known key, and digest, are compared value by value.

    Args:
        numbers: The validation samples to look for.
    """

    def __init__(self, validation: Sequence[Array], training: Sequence[Array], numbers: Array):
        self.found: dict[int, int] = {}
        self._validation = validation
        self._training = training
        self._dtypes = [_find_joint_dtype(*pair) for pair in zip(validation, training, strict=True)]
        self._keys = SampleKeys(validation, numbers)
        self._alone: dict[int, int] = {}
        self._by_digest: dict[int, dict[int, int]] = {}
        self._identify(numbers[self._keys.find_telling(validation, numbers)])
        self._open = np.array([*self._alone, *self._by_digest], np.uint64)

    @property
    def compared(self) -> int:
        """How many validation samples are looked for."""
        return len(self._alone) + sum(len(digests) for digests in self._by_digest.values())

    def run(self, deadline: float | None) -> int:
        """How many training samples were looked at."""
        samples, among = min(len(field) for field in self._training), 0
        fitting = BLOCK_BYTES // _sample_bytes(self._training)
        step = min(MOST_SAMPLES, max(FEWEST_SAMPLES, fitting))
        for part in spread(math.ceil(samples / step)):
            if part and _is_late(deadline):
                break
            block = np.arange(part * step, min(samples, (part + 1) * step))
            among += self._look_through(block, deadline)
        return among

    def _identify(self, numbers: Array) -> None:
        """Sort the samples by key, those with the same key by digest; leave out equal ones."""
        by_key: dict[int, list[int]] = {}
        for key, number in zip(self._keys.of(self._validation, numbers), numbers, strict=True):
            by_key.setdefault(int(key), []).append(int(number))
        for key, group in by_key.items():
            if len(group) == 1:
                self._alone[key] = group[0]
                continue
            digests = [digest(self._validation, number, self._dtypes) for number in group]
            times = Counter(digests)
            single = {d: n for d, n in zip(digests, group, strict=True) if times[d] == 1}
            if single:
                self._by_digest[key] = single

    def _look_through(self, block: Array, deadline: float | None) -> int:
        """How many samples of a block were looked at."""
        keys = self._keys.of(self._training, block)
        for place in np.flatnonzero(np.isin(keys, self._open)):
            self._compare(int(keys[place]), int(block[place]))
            if _is_late(deadline):
                return int(place) + 1
        return len(block)

    def _compare(self, key: int, sample: int) -> None:
        number = self._alone.get(key)
        if number is None:
            number = self._by_digest[key].get(digest(self._training, sample, self._dtypes))
        if number is None or number in self.found:
            return
        pairs = zip(self._validation, self._training, strict=True)
        if all(_equal(mine[number], theirs[sample]) for mine, theirs in pairs):
            self.found[number] = sample


def _is_late(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _find_joint_dtype(one: Array, other: Array) -> np.dtype[Any]:
    """The dtype in which the values of both can be compared."""
    if holds_objects(one):
        return np.dtype(object)
    return np.result_type(in_numpy(one[:1]), in_numpy(other[:1]))


def _equal(one: Array, other: Array) -> bool:
    """Whether all values are the same; nan is the same as nan."""
    equal = np.asarray(one == other)
    if not equal.all() and np.asarray(one).dtype.kind == "f":
        equal = equal | (np.isnan(one) & np.isnan(other))
    return bool(equal.all())
