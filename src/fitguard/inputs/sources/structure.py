"""Lists and dicts of arrays, flattened, each array with the name that a person finds it by."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fitguard.schema.data import Role


class Leaf(NamedTuple):
    """One array of a structure.

    Args:
        name: `x`, `x['tokens']`, `x[1]`.
        key: The key or the number that leads to it; None where the structure is the array itself.
    """

    name: str
    key: str | int | None
    value: Any


def leaves(structure: Any, root: str) -> Iterator[Leaf]:
    """The arrays of a structure in the order that Keras flattens it; None is left out.

    A mapping is flattened in the order of its sorted keys, as `tf.nest` does.
    """
    yield from _leaves(structure, root, None)


def _leaves(structure: Any, name: str, key: str | int | None) -> Iterator[Leaf]:
    if structure is None:
        return
    if isinstance(structure, Mapping):
        for inner in sorted(structure, key=str):
            outer = key if key is not None else inner
            yield from _leaves(structure[inner], f"{name}[{inner!r}]", outer)
    elif isinstance(structure, list | tuple):
        for number, item in enumerate(structure):
            outer = key if key is not None else number
            yield from _leaves(item, f"{name}[{number}]", outer)
    else:
        yield Leaf(name, key, structure)


class Element(NamedTuple):
    """What `fit` makes of a batch, a sample or its arguments."""

    x: Any
    y: Any = None
    sample_weight: Any = None

    def parts(self) -> Iterator[tuple[Role, Any]]:
        """The roles in order, those that are there."""
        roles: tuple[Role, ...] = ("x", "y", "sample_weight")
        for role, part in zip(roles, self, strict=True):
            if part is not None:
                yield role, part


def unpacked(element: Any) -> Element:
    """What a stream yielded, in its parts: `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`.

    Raises:
        ValueError: for more parts than three, as `fit` does.
    """
    if not isinstance(element, tuple | list):
        return Element(element)
    if not 1 <= len(element) <= 3:
        raise ValueError(
            f"Received {len(element)} parts. Expected x, (x,), (x, y) or (x, y, sample_weight)"
        )
    return Element(*element)
