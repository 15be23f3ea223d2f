"""Finds many literal texts in bytes at once."""

import json
from collections.abc import Collection, Sequence
from functools import cached_property, lru_cache
from typing import Any, Protocol

ESCAPES = (b"\x1b[", rb"\u001b[", rb"\x1b[", rb"\033[")
"""How a color begins: as the terminal gets it, in JSON, and as programs print it."""
GO_JSON = {b"<": rb"\u003c", b">": rb"\u003e", b"&": rb"\u0026"}
"""What Go's JSON, and thus docker's, escapes besides."""

Bytes = bytes | bytearray | memoryview
Numbered = list[tuple[int, bytes]]


class Engine(Protocol):
    """Knows a set of literals, by number, in all their spellings; one pass looks for all of them.

    Args:
        spellings: Of each literal.
        longest: The length of the longest spelling.
    """

    spellings: list[tuple[bytes, ...]]
    longest: int

    def present(self, data: Bytes) -> set[int]:
        """Which literals occur; how often costs no time."""
        ...

    def find(self, data: Bytes, numbers: Collection[int] | None = None) -> list[tuple[int, int]]:
        """Every place where a literal ends: (its number, the offset behind its end).

        Args:
            numbers: Look for these literals only.
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

    def _number_spellings(self, numbers: Collection[int]) -> Numbered:
        return [(number, text) for number in numbers for text in self.spellings[number]]


class Hyperscan(_Literals):
    """Intel's engine, or Vectorscan: gigabytes in a second."""

    @cached_property
    def _first_of_each(self) -> Any:
        import hyperscan

        return _database(
            self._number_spellings(range(len(self.spellings))), hyperscan.HS_FLAG_SINGLEMATCH
        )

    @cached_property
    def _some(self) -> Any:
        # Neighbouring parts of a log mostly have the same literals in them.
        return lru_cache(maxsize=8)(lambda numbers: _database(self._number_spellings(numbers)))

    def present(self, data: Bytes) -> set[int]:
        """Which literals occur."""
        return {number for number, _ in _scan(self._first_of_each, data)}

    def find(self, data: Bytes, numbers: Collection[int] | None = None) -> list[tuple[int, int]]:
        """Every place where a literal ends, in order of their numbers."""
        wanted = self.present(data) if numbers is None else numbers
        return sorted(_scan(self._some(tuple(sorted(wanted))), data))


def _database(numbered: Numbered, flags: int = 0) -> Any:
    import hyperscan

    if not numbered:
        return None
    database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
    database.compile(
        expressions=[text for _, text in numbered],
        ids=[number for number, _ in numbered],
        elements=len(numbered),
        flags=flags,
        literal=True,
    )
    return database


def _scan(database: Any, data: Bytes) -> set[tuple[int, int]]:
    found: set[tuple[int, int]] = set()
    if database is not None and len(data):
        database.scan(
            data, match_event_handler=lambda number, _, end, *__: found.add((number, end))
        )
    return found


class AhoCorasick(_Literals):
    """Where hyperscan has no wheel: the same answers, some ten times slower."""

    @cached_property
    def _automaton(self) -> Any:
        import ahocorasick

        automaton = ahocorasick.Automaton()
        for number, text in self._number_spellings(range(len(self.spellings))):
            # It works on text; in this encoding a character is a byte.
            key = text.decode("latin-1")
            automaton.add_word(key, (*automaton.get(key, ()), number))
        automaton.make_automaton()
        return automaton

    def present(self, data: Bytes) -> set[int]:
        """Which literals occur."""
        return {number for number, _ in self.find(data)}

    def find(self, data: Bytes, numbers: Collection[int] | None = None) -> list[tuple[int, int]]:
        """Every place where a literal ends, in order of their numbers."""
        if not self.spellings:
            return []
        wanted = range(len(self.spellings)) if numbers is None else set(numbers)
        text = bytes(data).decode("latin-1")
        return sorted(
            {
                (number, last + 1)
                for last, found in self._automaton.iter(text)
                for number in found
                if number in wanted
            }
        )


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
