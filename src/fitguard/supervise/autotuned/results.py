"""A file of autotuning results: whether XLA can read it.

XLA writes the file anew at the end of each compilation, over the old one, and may be killed
meanwhile. One that it cannot read is an error of the first compilation, so it never gets one. It
is a message `AutotuneResults` of `xla/autotune_results.proto`, in TensorFlow 2.14 to 2.21:

    version = 1
    repeated results = 4: device = 1, hlo = 2, result = 3, version = 4
"""

from collections.abc import Iterator

MOST_BYTES = 32 << 20
"""Of a file that is read. That of a transformer of four blocks has less than a megabyte."""
_LONGEST_VARINT = 10
_LARGEST_NUMBER = (1 << 29) - 1
_VARINT, _EIGHT_BYTES, _MANY_BYTES, _FOUR_BYTES = 0, 1, 2, 5


def count_results(content: bytes) -> int:
    """How many results there are; 0 where XLA would not take all of them."""
    keys: list[tuple[object, ...]] = []
    version = 0
    try:
        for number, value in _split(content):
            if number == 1 and isinstance(value, int):
                version = value
            elif number == 4 and isinstance(value, bytes):
                keys.append(_read_key(value))
            else:
                return 0
    except ValueError:
        return 0
    # XLA refuses two results for one kernel.
    return len(keys) if version and len(set(keys)) == len(keys) else 0


def _read_key(entry: bytes) -> tuple[object, ...]:
    """Device, code and version that a result is for.

    Raises:
        ValueError: where it is none.
    """
    fields = dict(_split(entry))
    device, code, result = (fields.get(number) for number in (1, 2, 3))
    if not (isinstance(device, bytes) and isinstance(code, bytes) and isinstance(result, bytes)):
        raise ValueError("a part of the result is missing")
    # In TensorFlow 2.14 to 2.21, all that is no number in a result is a message.
    for _, part in _split(result):
        if isinstance(part, bytes):
            list(_split(part))
    return device.decode(), code.decode(), fields.get(4, 0)


def _split(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message of Protocol Buffers, by number.

    Raises:
        ValueError: where it is none, or ends within a field.
    """
    at = 0
    while at < len(message):
        tag, at = _read_varint(message, at)
        number, kind = tag >> 3, tag & 7
        if not 0 < number <= _LARGEST_NUMBER:
            raise ValueError("no field has this number")
        if kind == _VARINT:
            value, at = _read_varint(message, at)
            yield number, value
            continue
        if kind == _MANY_BYTES:
            size, at = _read_varint(message, at)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            size = 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("no field begins like that")
        if at + size > len(message):
            raise ValueError("a field ends behind its message")
        yield number, message[at : at + size]
        at += size


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    """A number, and where it ends."""
    value = 0
    for shift, byte in enumerate(message[at : at + _LONGEST_VARINT]):
        value |= (byte & 0x7F) << 7 * shift
        if byte < 0x80:
            return value, at + shift + 1
    raise ValueError("a number has no end")
