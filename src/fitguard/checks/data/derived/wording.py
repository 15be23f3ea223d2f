"""How findings on data say where and how much; everything is counted from 0, as in Python."""

from collections.abc import Iterable

from fitguard.schema.data import Field, Place, Spotted
from fitguard.schema.finding import Evidence
from fitguard.schema.model import ModelOutput, Shape
from fitguard.words import count
from fitguard.words import shape as shown


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


def first_at(spotted: Spotted) -> str:
    """` at sample 5, column 1`, or, of several, `, the first at …`; empty without a place."""
    if not spotted.places:
        return ""
    return f"{'' if spotted.count == 1 else ', the first'} at {where(spotted.places[0])}"


def number(amount: int, noun: str) -> str:
    """`1 nan value`, `48,213 nan values`."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def finding_all(field: Field, test: str) -> str:
    """` All places: numpy.argwhere(numpy.isnan(x)).`; empty for what it cannot be asked of: a
    stream, and objects."""
    places = (*field.nans.places, *field.infinities.places)
    if any(place.batch is not None for place in places) or field.dtype == "object":
        return ""
    return f" All places: numpy.argwhere(numpy.{test}({field.name}))."


def spots(field: Field, spotted: Spotted) -> tuple[Evidence, ...]:
    """The first places, each with the value that stands there."""
    return tuple(
        Evidence(f"{place.value or 'found'} at {where(place)}", format_field(field))
        for place in spotted.places
    )


def format_field(field: Field) -> str:
    """`x['tokens']`, or `validation x['tokens']`."""
    return field.name if field.split == "training" else f"validation {field.name}"


def format_batch_shape(shape: Shape) -> str:
    """With the samples in front: `(n, 28, 28)`, `(n,)`."""
    return f"(n{''.join(f', {axis}' for axis in shape) or ','})"


def among(field: Field) -> str:
    """`of 60,000 samples`, or, where not all were read, `of the 2,048 samples that were read`."""
    if was_fully_read(field):
        return f"of {field.samples:,} samples"
    return f"of the {field.samples_seen:,} samples that were read"


def was_fully_read(field: Field) -> bool:
    """Whether every sample was read."""
    return field.samples is not None and field.samples_seen >= field.samples


def join_names(names: Iterable[str], most: int = 5) -> str:
    """`a`, `a and b`, `a, b and c`; of many the first few."""
    given = list(names)
    if len(given) > most:
        return f"{', '.join(given[:most])} and {len(given) - most} more"
    return " and ".join(part for part in (", ".join(given[:-1]), given[-1]) if part)


def quote_field(field: Field) -> Evidence:
    """What the field is: `int64, 60,000 samples of shape (28, 28), 0 … 255`."""
    number = count(field.samples, "sample") if field.samples == 1 else _many(field)
    seen = "" if field.minimum is None else f", {field.minimum:g} … {field.maximum:g}"
    return Evidence(
        f"{field.dtype}, {number} of shape {shown(field.shape)}{seen}", format_field(field)
    )


def quote_output(output: ModelOutput) -> Evidence:
    """What the output is: `output shape (None, 10), softmax, sparse_categorical_crossentropy`."""
    parts = [
        f"output shape {shown(output.shape)}" if output.shape is not None else "",
        output.activation or "",
        output.loss.name if output.loss else "",
        "from_logits=True" if output.loss and output.loss.from_logits else "",
    ]
    return Evidence(", ".join(part for part in parts if part), f"model, {output.name}")


def _many(field: Field) -> str:
    return "samples" if field.samples is None else f"{field.samples:,} samples"
