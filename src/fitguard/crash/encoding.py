"""Everything becomes UTF-8: what Windows writes as UTF-16, with its mark in front or without."""

import codecs

from fitguard.crash.streams import Peeked, Pieces, Stream, read

LOOKED_AT = 4096
AT_ONCE = 512 * 1024

# UTF-32 first: its mark begins with that of UTF-16.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


def in_utf8(stream: Stream) -> Stream:
    """The stream itself, or its text in UTF-8. Bytes of other encodings stay as they are."""
    peeked = Peeked(stream)
    encoding = _encoding(peeked.peek(LOOKED_AT))
    return Recoded(peeked, encoding) if encoding else peeked


def _encoding(head: bytes) -> str | None:
    for mark, encoding in MARKS.items():
        if head.startswith(mark):
            return encoding
    # In UTF-16 every second byte of simple text is zero.
    pairs = len(head) // 2
    if pairs >= 2:
        first, second = head[: 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
        if second > 0.6 * pairs and first < 0.1 * pairs:
            return "utf-16-le"
        if first > 0.6 * pairs and second < 0.1 * pairs:
            return "utf-16-be"
    return None


class Recoded(Pieces):
    """Text of another encoding, in UTF-8."""

    def __init__(self, stream: Stream, encoding: str) -> None:
        super().__init__()
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder(encoding)(errors="replace")

    def next_piece(self) -> bytes:
        """The next text; what is no text becomes a replacement character."""
        while data := read(self._stream, AT_ONCE):
            if text := self._decoder.decode(data):
                return text.encode("utf-8", "replace")
        return self._decoder.decode(b"", final=True).encode("utf-8", "replace")
