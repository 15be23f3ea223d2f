"""JSON: the struct as it is, for programs."""

import json
import re

import msgspec

from fitguard.report.privacy.redaction import UNSEEN, clean
from fitguard.report.privacy.walking import map_strings
from fitguard.report.registry import Document

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(document: Document) -> str:
    """Two spaces of indentation, fields in the order of the struct, a newline at the end."""
    return _escape(msgspec.json.format(_encode(document), indent=2))


def to_json_line(document: Document) -> str:
    """All on one line, for programs that read one document after another."""
    return _escape(_encode(document))


def _encode(document: Document) -> bytes:
    encodable = map_strings(document, lambda text, _: _HALF_SURROGATE.sub(_spell, text))
    return msgspec.json.encode(encodable)


def _escape(encoded: bytes) -> str:
    # Legal in JSON as they are, but a terminal would obey them.
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], encoded.decode()) + "\n"


def _spell(found: re.Match[str]) -> str:
    return clean(found[0])
