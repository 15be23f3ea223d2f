"""JSON: the struct as it is, for programs."""

import json
import re

import msgspec

from fitguard.report.documents import Document, map_strings
from fitguard.report.redaction import UNSEEN, clean

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(document: Document) -> str:
    """Two spaces of indentation, fields in the order of the struct, a newline at the end."""
    encodable = map_strings(document, lambda text, _: _HALF_SURROGATE.sub(_spelled, text))
    pretty = msgspec.json.format(msgspec.json.encode(encodable), indent=2).decode()
    # Legal in JSON as they are, but a terminal would obey them.
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], pretty) + "\n"


def _spelled(found: re.Match[str]) -> str:
    return clean(found[0])
