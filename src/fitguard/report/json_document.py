"""JSON: the struct as it is, for programs."""

import re

import msgspec

from fitguard.report.documents import Document, map_strings
from fitguard.report.redaction import clean

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")
# Legal in JSON as they are, but a terminal would obey them.
_OBEYED = re.compile("[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def to_json(document: Document) -> str:
    """Two spaces of indentation, fields in the order of the struct, a newline at the end."""
    encodable = map_strings(document, lambda text, _: _HALF_SURROGATE.sub(_spelled, text))
    pretty = msgspec.json.format(msgspec.json.encode(encodable), indent=2).decode()
    return _OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", pretty) + "\n"


def _spelled(found: re.Match[str]) -> str:
    return clean(found[0])
