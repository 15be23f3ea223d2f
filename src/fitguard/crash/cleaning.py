"""Bytes of a line → text that may be shown: no escapes, no control characters, no prefixes."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from fitguard.crash.json_text import from_json
from fitguard.crash.prefixes import without_prefixes
from fitguard.words import without_escapes

# What is left of colours where a tool has taken the escape character out, or spelled it.
BARE_COLOUR = re.compile(r"(?:\^\[|\\x1b|\\u001b|\\033|\\e)?\[\d{0,3}(?:;\d{1,3}){0,4}m")
BLANK = re.compile(r"[^\S ]")
_LOADED_MODULES = "Extension modules: "
"""Python's faulthandler lists all that was loaded, whatever the crash: no name in it is a clue."""


class Cleaned(NamedTuple):
    """A line for people.

    Args:
        worker: Who wrote it, where a prefix tells.
    """

    text: str
    worker: str | None = None


def clean_line(raw: bytes) -> Iterator[Cleaned]:
    """The text of a line; several where it is the JSON of several lines, none for a list."""
    text, worker = without_prefixes(printable(raw.decode("utf-8", "replace")))
    if text.startswith(_LOADED_MODULES):
        return
    inside = from_json(text)
    if inside is None:
        yield Cleaned(text, worker)
        return
    for part in re.split(r"[\r\n]+", inside):
        inner, inner_worker = without_prefixes(printable(part))
        if inner:
            yield Cleaned(inner, inner_worker or worker)


def printable(text: str) -> str:
    """Only what can be seen."""
    if not text.isprintable():
        text = BLANK.sub(" ", without_escapes(text))
        text = "".join(filter(str.isprintable, text))
    return BARE_COLOUR.sub("", text) if "[0m" in text else text
