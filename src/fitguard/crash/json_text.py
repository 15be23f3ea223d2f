"""Lines that are JSON: docker's and Kaggle's log files, log services, notebooks → their text."""

import re

import msgspec

KEYS = ("log", "message", "msg", "MESSAGE", "textPayload", "data", "text", "evalue")
_KEY = r'"(?:log|message|msg|MESSAGE|textPayload|data|text|text/plain|traceback|ename|evalue)"'
_STRING = r'"(?P<text>(?:[^"\\]|\\.)*)'

# A field with a text or the first of several; an element of such a list.
FIELD = re.compile(rf"\{{?\s*{_KEY}:[\s\[]*{_STRING}")
ELEMENT = re.compile(rf'{_STRING}"[\s,\]]*')
ESCAPED_TEXT = re.compile(r'\\n"|\\u001b\[')
BETWEEN = re.compile(r'\\n"\s*,\s*"')
ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "b": "", "f": ""}


def from_json(line: str) -> str | None:
    """The text in a line of JSON, which may have several lines; None where it is no JSON."""
    json = line.strip(" [],")
    if json.startswith("{") and (text := _message(json)) is not None:
        return text
    if json.startswith(("{", '"')) and (found := FIELD.match(json) or ELEMENT.fullmatch(json)):
        return _unescape_text(found["text"])
    # A part of a notebook that is one line altogether.
    return _unescape_text(BETWEEN.sub(r"\\n", line)) if ESCAPED_TEXT.search(line) else None


def _message(line: str) -> str | None:
    try:
        record = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    if not isinstance(record, dict):
        return None
    texts = (record.get(key) for key in KEYS)
    return next((text for text in texts if isinstance(text, str)), None)


def _unescape_text(text: str) -> str:
    text = ESCAPED.sub(_character, text)
    # Characters beyond the first 65,536 are written as two halves.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return SIMPLE.get(found[2], found[2])
