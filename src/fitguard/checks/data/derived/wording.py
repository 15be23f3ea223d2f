"""How findings on data say where and how much; everything is counted from 0, as in Python."""

from fitguard.report.words import count
from fitguard.schema.data import Field, Place, Spotted
from fitguard.schema.finding import Evidence
from fitguard.schema.model import Shape


def where(place: Place) -> str:
    """`sample 48,213, column 7, batch 91`."""
    parts = [f"sample {place.sample:,}"]
    if len(place.position) == 1:
        parts.append(f"column {place.position[0]:,}")
    elif place.position:
        parts.append(f"position ({', '.join(map(str, place.position))})")
    if place.batch is not None:
        parts.append(f"batch {place.batch:,}")
    return ", ".join(parts)


def spots(field: Field, spotted: Spotted) -> tuple[Evidence, ...]:
    """The first places, each with the value that stands there."""
    return tuple(
        Evidence(f"{place.value or 'found'} at {where(place)}", called(field))
        for place in spotted.places
    )


def called(field: Field) -> str:
    """`x['tokens']`, or `validation x['tokens']`."""
    return field.name if field.split == "training" else f"validation {field.name}"


def shown(shape: Shape) -> str:
    """`(None, 28, 28)`, `(None,)`, `()`."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def among(field: Field) -> str:
    """`of 60,000 samples`, or, where not all were read, `of the 2,048 samples that were read`."""
    if field.samples is not None and field.samples_seen >= field.samples:
        return f"of {field.samples:,} samples"
    return f"of the {field.samples_seen:,} samples that were read"


def described(field: Field) -> Evidence:
    """What the field is: `int64, 60,000 samples of shape (28, 28), 0 … 255`."""
    number = count(field.samples, "sample") if field.samples == 1 else _many(field)
    seen = "" if field.minimum is None else f", {field.minimum:g} … {field.maximum:g}"
    return Evidence(f"{field.dtype}, {number} of shape {shown(field.shape)}{seen}", called(field))


def _many(field: Field) -> str:
    return "samples" if field.samples is None else f"{field.samples:,} samples"
