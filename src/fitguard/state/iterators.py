"""Iterators of Python that tell where they stand: counters, and those over lists and the like."""

import itertools
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.state.kinds import MISSING, CannotMake, Kind, Part, Stored, Value

_MAKERS = {
    one.__name__: one
    for one in (
        *(iter, enumerate, zip, map, filter, reversed),
        *(itertools.count, itertools.cycle, itertools.chain, itertools.islice, itertools.repeat),
    )
}
_KINDS = (
    *map(type, (iter([]), iter(()), iter(""), iter(range(0)), reversed([]))),
    *(one for name, one in _MAKERS.items() if isinstance(one, type)),
)


def knows_position(thing: Any) -> bool:
    """Whether it says where it stands."""
    return isinstance(thing, _KINDS) and _reduce_iterator(thing) is not None


class Iterators(Kind):
    """They cannot be set: a new one takes the place of the old, wherever that is held."""

    name = "iterator"

    def __init__(self) -> None:
        self._seen: dict[int, _Told] = {}

    def parts(self, thing: Any) -> Iterator[Part]:
        _, arguments, position = self._reduce_once(thing)
        yield from ((f"<{number}>", held) for number, held in enumerate(arguments))
        yield "<at>", position

    def read(self, thing: Any, stored: Stored) -> Any:
        maker, arguments, position = self._reduce_once(thing)
        return {"maker": maker, "of": [stored(held) for held in arguments], "at": stored(position)}

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        state = entry["state"]
        made = _MAKERS[state["maker"]](*(value(held, MISSING) for held in state["of"]))
        position = value(state["at"], MISSING)
        if position is not None:
            if not hasattr(made, "__setstate__"):
                raise CannotMake
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                made.__setstate__(position)
        return made

    def _reduce_once(self, thing: Any) -> "_Told":
        # Some tell of objects that they make for it: the same must be told twice.
        return self._seen.setdefault(id(thing), _reduce_iterator(thing) or ("", (), None))


_Told = tuple[str, tuple[Any, ...], Any]


def _reduce_iterator(thing: Any) -> _Told | None:
    """What makes it, from what, and how far it is; None where it does not tell."""
    try:
        with warnings.catch_warnings():
            # Python 3.14 takes this away from itertools.
            warnings.simplefilter("ignore", DeprecationWarning)
            told = thing.__reduce__()
    except TypeError:
        return None
    maker, arguments, *position = told
    if maker.__name__ not in _MAKERS:
        return None
    return maker.__name__, arguments, position[0] if position else None
