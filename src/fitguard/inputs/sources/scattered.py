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

    def move_places(spotted: Spotted) -> Spotted:
        places = tuple(
            Place(sample=rows(place.sample), batch=place.batch, value=place.value)
            for place in spotted.places
        )
        return Spotted(spotted.count, places)

    samples, *shape = found.shape
    # Where only some values were seen, they were spread over all samples.
    part = field.samples_seen / max(1, len(found.values)) if len(found.values) else 1
    seen = int(part * (samples or 0))
    return msgspec.structs.replace(
        field,
        shape=tuple(shape),
        samples=samples,
        samples_seen=seen,
        nans=move_places(field.nans),
        infinities=move_places(field.infinities),
        outside=move_places(field.outside),
        fractions=move_places(field.fractions),
        labels=None,
        padding=None,
        columns=None,
    )
