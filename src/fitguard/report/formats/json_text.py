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
    encodable = map_strings(document, lambda text, _: _HALF_SURROGATE.sub(_spell, text))
    pretty = msgspec.json.format(msgspec.json.encode(encodable), indent=2).decode()
    # Legal in JSON as they are, but a terminal would obey them.
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], pretty) + "\n"


def _spell(found: re.Match[str]) -> str:
    return clean(found[0])
