"""How the bytes of a log may spell a text: plain, inside JSON, or with colours in it."""

import json

ESCAPES = (b"\x1b[", rb"\u001b[", rb"\x1b[", rb"\033[")
"""How a colour begins: as the terminal gets it, in JSON, and as programs print it."""
GO_JSON = {b"<": rb"\u003c", b">": rb"\u003e", b"&": rb"\u0026"}
"""What Go's JSON, and thus docker's, escapes besides."""


def spellings(literal: bytes) -> tuple[bytes, ...]:
    """Every spelling, the plain one first.

    Exceptions are coloured in two parts, `ValueError\\x1b[0m: No …`: of a text that spans them, the
    first part with a colour behind it counts; who cleans the line sees the rest.
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
