"""Finds many literal texts in bytes at once."""

import json
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

ESCAPES = (b"\x1b[", rb"\u001b[", rb"\x1b[", rb"\033[")
"""How a color begins: as the terminal gets it, in JSON, and as programs print it."""
GO_JSON = {b"<": rb"\u003c", b">": rb"\u003e", b"&": rb"\u0026"}
"""What Go's JSON, and thus docker's, escapes besides."""

Bytes = bytes | bytearray | memoryview
Place = tuple[int, int]
"""The number of a literal, and the offset behind its end."""


class Engine(Protocol):
    """Knows a set of literals, by number, in all their spellings; one pass looks for all of them.

    Args:
        spellings: Of each literal.
        longest: The length of the longest spelling.
    """

    spellings: list[tuple[bytes, ...]]
    longest: int

    def find(self, data: Bytes, common: frozenset[int] = frozenset()) -> list[Place]:
        """Every place where a literal ends, in order of their numbers.

        Args:
            common: Of these literals, the last place only: how often they occur costs no time.
        """
        ...


def engine(literals: Sequence[bytes]) -> Engine:
    """The fastest engine that is installed."""
    try:
        import hyperscan  # noqa: F401
    except ImportError:
        return AhoCorasick(literals)
    return Hyperscan(literals)


class _Literals:
    """What both engines know of the literals."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        for literal in literals:
            if not literal or b"\0" in literal:
                raise ValueError(f"Received the literal {literal!r}. Expected text without NUL")
        self.spellings = [spellings(literal) for literal in literals]
        self.longest = max((len(text) for texts in self.spellings for text in texts), default=0)

        self._spelled = [
            (number, text) for number, texts in enumerate(self.spellings) for text in texts
        ]


class Hyperscan(_Literals):
    """Intel's engine, or Vectorscan: gigabytes in a second."""

    @cached_property
    def _database(self) -> Any:
        return self._compile(frozenset())

    @cached_property
    def _database_of(self) -> Callable[[frozenset[int]], Any]:
        # What is common in a log stays common.
        return lru_cache(maxsize=1)(self._compile)

    def _compile(self, common: frozenset[int]) -> Any:
        """Of common literals, it finds the first of each spelling, by a number of its own."""
        import hyperscan

        first_only = hyperscan.HS_FLAG_SINGLEMATCH
        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        database.compile(
            expressions=[text for _, text in self._spelled],
            ids=[
                len(self.spellings) + place if number in common else number
                for place, (number, _) in enumerate(self._spelled)
            ],
            elements=len(self._spelled),
            flags=[first_only if number in common else 0 for number, _ in self._spelled],
            literal=True,
        )
        return database

    def find(self, data: Bytes, common: frozenset[int] = frozenset()) -> list[Place]:
        """Every place where a literal ends, in order of their numbers."""
        if not self._spelled or not len(data):
            return []
        database = self._database_of(common) if common else self._database
        places: list[Place] = []
        keep = places.append
        database.scan(
            data, match_event_handler=lambda number, _start, end, _flags, _: keep((number, end))
        )
        found = sorted(set(places))
        return self._with_last(data, found) if common else found

    def _with_last(self, data: Bytes, found: Iterable[Place]) -> list[Place]:
        """The same, with the last place of each common literal for the first of its spellings."""
        text, count = bytes(data), len(self.spellings)
        last: dict[int, int] = {}
        for place, _ in found:
            if place >= count:
                number, spelling = self._spelled[place - count]
                # It is common, so this is not far from the end.
                last[number] = max(last.get(number, 0), text.rfind(spelling) + len(spelling))
        return sorted([*(place for place in found if place[0] < count), *last.items()])


class AhoCorasick(_Literals):
    """Where hyperscan has no wheel: the same answers, some ten times slower."""

    @cached_property
    def _automaton(self) -> Any:
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for number, text in self._spelled:
            # It works on text; in this encoding a character is a byte.
            key = text.decode("latin-1")
            automaton.add_word(key, (*automaton.get(key, ()), number))
        automaton.make_automaton()
        return automaton

    def find(self, data: Bytes, common: frozenset[int] = frozenset()) -> list[Place]:
        """Every place where a literal ends, in order of their numbers."""
        if not self.spellings:
            return []
        text = bytes(data).decode("latin-1")
        places = sorted(
            {(number, last + 1) for last, found in self._automaton.iter(text) for number in found}
        )
        last = dict(places)
        return [
            (number, end) for number, end in places if number not in common or end == last[number]
        ]


def spellings(literal: bytes) -> tuple[bytes, ...]:
    """Every spelling, the plain one first.

    Exceptions are colored in two parts, `ValueError\\x1b[0m: No …`: of a text that spans them, the
    first part with a color behind it counts; who cleans the line sees the rest.
    """
    spelled = [literal, _in_json(literal, to_ascii=True), _in_json(literal, to_ascii=False)]
    spelled.append(spelled[-1])
    for plain, escaped in GO_JSON.items():
        spelled[-1] = spelled[-1].replace(plain, escaped)
    kind, colon, _ = literal.partition(b": ")
    if colon and kind.endswith((b"Error", b"Exception", b"Warning")):
        spelled += [kind + end + escape for end in (b"", b": ") for escape in ESCAPES]
    return tuple(dict.fromkeys(spelled))


def _in_json(literal: bytes, *, to_ascii: bool) -> bytes:
    text = literal.decode("utf-8", "surrogateescape")
    return json.dumps(text, ensure_ascii=to_ascii)[1:-1].encode("utf-8", "surrogateescape")
