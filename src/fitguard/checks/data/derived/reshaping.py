"""What brings samples of one shape to another, where the two shapes tell what happened."""

import math
from collections.abc import Callable

from fitguard.schema.data import Field
from fitguard.schema.model import Shape

_COLOURS = 3


def find_remedy(field: Field, want: Shape, *, stream: bool) -> str | None:
    """One sentence or two; None where the shapes tell nothing."""
    have, name = field.shape, field.name
    if stream and len(have) == len(want) + 1 and have[1:] == want:
        return "Each batch holds batches: call .batch only once, or .unbatch() before the second."
    if not stream and (field.samples, *have) == want:
        return f"{name} is a single sample, without an axis that counts samples: {name}[None]."
    if not stream and len(want) == len(have) == 1 and field.samples == want[0]:
        return f"{name} looks transposed: rows are to be samples. Give fit {name}.T."
    rules: tuple[Callable[[str, Shape, Shape], str | None], ...] = (_channels, _order, _size)
    return next((found for rule in rules if (found := rule(name, have, want))), None)


def _channels(name: str, have: Shape, want: Shape) -> str | None:
    if len(have) == 3 and (*have[1:], have[0]) == want:
        return f"The channels come first. Put them last: numpy.moveaxis({name}, 1, -1)."
    if len(want) != _COLOURS:
        return None
    rows, channels = want[:-1], want[-1]
    if channels == _COLOURS and have in (rows, (*rows, 1)):
        grey = name if len(have) == len(want) else f"{name}[..., None]"
        return f"The images are gray. Repeat the channel: numpy.repeat({grey}, 3, axis=-1)."
    if channels == _COLOURS and have == (*rows, _COLOURS + 1):
        return f"The images have a fourth channel (alpha). Leave it out: {name}[..., :3]."
    if channels == 1 and have == (*rows, _COLOURS):
        return f"The images have colors. Make them gray: tf.image.rgb_to_grayscale({name})."
    return None


def _order(name: str, have: Shape, want: Shape) -> str | None:
    if _long(have) == _long(want) or sorted(_long(have)) != sorted(_long(want)):
        return None
    if len(have) == len(want) == 2:
        return f"The axes come in another order: numpy.swapaxes({name}, 1, 2)."
    return f"The axes come in another order. Change it with numpy.transpose({name}, ...)."


def _size(name: str, have: Shape, want: Shape) -> str | None:
    if not _values(have) or _values(have) != _values(want):
        return None
    axes = ", ".join(map(str, want))
    return f"The same number of values in another shape: {name}.reshape(-1, {axes})."


def _long(shape: Shape) -> tuple[int, ...]:
    """The axes that a change of order moves: those longer than 1."""
    return tuple(length for length in shape if length is not None and length > 1)


def _values(shape: Shape) -> int:
    """Values in a sample; 0 where an axis is open."""
    return math.prod(length or 0 for length in shape)
