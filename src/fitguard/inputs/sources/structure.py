"""Lists and dicts of arrays, flattened, each array with the name that a person finds it by."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fitguard.schema.data import Role

MOST_LEVELS = 50
"""Nobody nests that deep: such a structure contains itself."""


class TooDeep(ValueError):
    """Lists and dicts lie in one another without end."""


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

    Raises:
        TooDeep: where a structure contains itself.
    """
    yield from _leaves(structure, root, None, MOST_LEVELS)


def _leaves(structure: Any, name: str, key: str | int | None, levels: int) -> Iterator[Leaf]:
    if structure is None:
        return
    if not is_nested(structure):
        yield Leaf(name, key, structure)
        return
    if not levels:
        raise TooDeep(
            f"Received lists or dicts in one another, more than {MOST_LEVELS} deep. Expected "
            "arrays, or one list or dict of them"
        )
    if isinstance(structure, Mapping):
        items = [(inner, structure[inner]) for inner in sorted(structure, key=str)]
    else:
        items = list(enumerate(structure))
    for inner, item in items:
        yield from _leaves(item, f"{name}[{inner!r}]", inner if key is None else key, levels - 1)


def is_nested(value: Any) -> bool:
    """Whether it is a list, tuple or dict of arrays; a sparse matrix may be a kind of dict, too."""
    if isinstance(value, list | tuple):
        return True
    return isinstance(value, Mapping) and not hasattr(value, "tocoo")


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


def unpack_element(element: Any) -> Element:
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
