"""The pieces that Markdown is put together from: nothing that is quoted breaks out of its place."""

import re
from collections.abc import Iterable

from fitguard.report.sections import Section
from fitguard.report.summary import source
from fitguard.report.words import one_line
from fitguard.schema.finding import Evidence, Fix

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# An underscore inside a word is no emphasis; LD_LIBRARY_PATH stays readable.
_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_LIST_MARK = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?:\s|$)))")
_MENTION = re.compile(r"@(?=\w)")


def escaped(text: str) -> str:
    """One line of plain words, whatever was in it."""
    text = _SPECIAL.sub(r"\\\g<0>", one_line(text).translate(_HTML))
    text = _LIST_MARK.sub(r"\1\\", text)
    # A zero-width space keeps a quoted @name from calling that person.
    return _MENTION.sub("@\u200b", text)


def fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def labelled(label: str, text: str) -> str:
    """`**Why:** …`, with the line breaks of the text; empty where there is none."""
    words = "<br>".join(escaped(line) for line in text.split("\n"))
    return f"**{label}:** {words}" if words else ""


def quotations(evidence: Iterable[Evidence]) -> str:
    """What was seen and where, in one block."""
    quoted = "\n".join(f"{item.text}\n    -- {source(item)}" for item in evidence)
    return fenced(quoted, "text") if quoted else ""


def remedy(fix: Fix) -> list[str]:
    """The words, then the commands."""
    commands = fenced("\n".join(fix.commands), "sh") if fix.commands else ""
    return [labelled("Fix", fix.text), commands]


def table(section: Section) -> str:
    """The rows under their headers; empty where there are none."""
    if not section.rows:
        return ""
    headers = section.headers or ("", "")
    lines = [headers, ("---",) * len(headers), *section.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def details(title: str, blocks: list[str]) -> list[str]:
    """Folded away; the blank lines make what is inside Markdown again."""
    return [f"<details><summary>{title}</summary>", *blocks, "</details>"] if blocks else []


def _cell(text: str) -> str:
    return text if text == "---" else escaped(text)
