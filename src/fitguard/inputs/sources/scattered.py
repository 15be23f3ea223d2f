"""Ragged and sparse arrays: only their stored values are scanned, one after another.

What the scan calls a sample is then the number of a value; here it becomes the sample that the
value belongs to.
"""

import msgspec

from fitguard.inputs.sources.arrays import Table
from fitguard.schema.data import Field, Place, Spotted


def in_samples(field: Field, found: Table) -> Field:
    """The field with samples, shape and places of the array as `fit` sees it."""
    rows = found.rows
    if rows is None:
        return field

    def moved(spotted: Spotted) -> Spotted:
        places = tuple(
            Place(sample=int(rows[place.sample]), batch=place.batch, value=place.value)
            for place in spotted.places
        )
        return Spotted(spotted.count, places)

    samples, *shape = found.shape
    whole = field.samples_seen == len(found.values)
    seen = samples if whole else len(set(rows[: field.samples_seen].tolist()))
    return msgspec.structs.replace(
        field,
        shape=tuple(shape),
        samples=samples,
        samples_seen=seen or 0,
        nans=moved(field.nans),
        infinities=moved(field.infinities),
        outside=moved(field.outside),
        labels=None,
        padding=None,
        columns=None,
    )
