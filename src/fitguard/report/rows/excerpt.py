"""The telling part of a long quotation: what a signature knows it by, and what stands around it."""

from typing import TypeVar

import msgspec

from fitguard.report.privacy.walking import map_structs
from fitguard.schema.finding import Evidence

T = TypeVar("T")

SEARCHED = 1_000_000
"""Characters of one line in which the telling part is looked for."""


def excerpt_logs(document: T, longest: int) -> T:
    """The same document, in which no quoted line of a log is much longer than `longest`."""
    return map_structs(document, Evidence, lambda evidence: _shorten(evidence, longest))


def telling_part(text: str, longest: int) -> str:
    """A line as it is, or as many characters of it, around what makes it mean something."""
    if len(text) <= longest:
        return text
    begin = max(0, _telling_place(text) - longest // 4)
    begin = min(begin, len(text) - longest)
    left_out = len(text) - longest
    before = "… " if begin else ""
    behind = " …" if begin + longest < len(text) else ""
    part = text[begin : begin + longest].strip()
    return f"{before}{part}{behind} ({left_out} more characters)"


def _shorten(evidence: Evidence, longest: int) -> Evidence:
    if evidence.line is None or len(evidence.text) <= longest:
        return evidence
    lines = [telling_part(line, longest) for line in evidence.text.split("\n")]
    return msgspec.structs.replace(evidence, text="\n".join(lines))


def _telling_place(text: str) -> int:
    """Where the longest text begins that a signature knows: the longest is the least common."""
    from fitguard.knowledge import knowledge  # few lines are that long

    searched = text[:SEARCHED]
    known = [anchor for anchor in knowledge().signatures.by_anchor if anchor in searched]
    return searched.index(max(known, key=len)) if known else 0
