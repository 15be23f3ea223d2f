"""Words in Markdown: nothing that is quoted breaks out of its place."""

import re

from fitguard.report.blocks import Span, Words, spans
from fitguard.words import one_line

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# An underscore inside a word is no emphasis; LD_LIBRARY_PATH stays readable.
_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_LIST_MARK = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?:\s|$)))")
_MENTION = re.compile(r"@(?=\w)")
_TICKED = re.compile(r"((?<!`)`[^`]+`(?!`))")
# It would end a cell of a table, or be read as HTML in a fold.
_UNSAFE_IN_CODE = frozenset("|<>&")


def escape(text: str) -> str:
    """One line of plain words, whatever was in it."""
    return _LIST_MARK.sub(r"\1\\", _escape_part(one_line(text)))


def mark_code(text: str) -> str:
    """One line of plain words, in which what stands between backticks is code."""
    parts = _TICKED.split(one_line(text))
    marked = (
        one if place % 2 and not _UNSAFE_IN_CODE & set(one) else _escape_part(one)
        for place, one in enumerate(parts)
    )
    return _LIST_MARK.sub(r"\1\\", "".join(marked))


def _escape_part(text: str) -> str:
    text = _SPECIAL.sub(r"\\\g<0>", text.translate(_HTML))
    # A zero-width space keeps a quoted @name from calling that person.
    return _MENTION.sub("@\u200b", text)


def fence(text: str, language: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def mark_words(words: Words) -> str:
    """A line in which what is strong, in italics or a link stays so."""
    return "".join(map(_mark, spans(words)))


def _mark(span: Span) -> str:
    text = mark_code(span.text)
    if not text:
        return " " if span.text else ""
    if span.link:
        text = f"[{text}]({span.link})"
    sign = "**" if span.style == "strong" or span.tone else "*" if span.style == "italic" else ""
    # A sign of emphasis must stand beside a letter.
    before = " " if span.text[:1].isspace() else ""
    behind = " " if span.text[-1:].isspace() else ""
    return f"{before}{sign}{text}{sign}{behind}"
