"""Sizes as people write them: `8GiB`, `6.5GB`, `8192MiB`, `8G`, or a number of bytes."""

import re
from decimal import Decimal

from fitguard.schema.exit_codes import UsageError

LEAST_BYTES = 2**20
"""Less is no memory of a GPU, but a number without its unit."""
MOST_BYTES = 2**60
"""More is no memory at all, but a slip of the keyboard."""
_LONGEST_QUOTED = 60

_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}
_SIZE = re.compile(r"(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<power>[kmgt]?)(?P<base>i?b)?", re.I)
_EXPECTED = (
    "Expected a size such as 8GiB or 8G (2**30 bytes each), 8GB (10**9), 8192MiB, or a number of "
    "bytes"
)


def size_bytes(given: str | int | float, what: str) -> int:
    """The bytes of a size.

    `GiB`, `MiB` and the like are powers of 1024, and so are `G` and `M`; `GB` and `MB` are powers
    of 1000. Spaces and the case of letters do not matter.

    Args:
        given: A number of bytes, or a number with its unit.
        what: What it is the size of, for the error: `gpu_memory`.

    Raises:
        UsageError: It is no size, one below 1 MiB, or more than any machine has.
    """
    size = _from_text(given) if isinstance(given, str) else _from_number(given)
    if size is None:
        raise UsageError(f"Received {what}={_quote(given)}. {_EXPECTED}.")
    if size < LEAST_BYTES:
        raise UsageError(
            f"Received {what}={given!r}, which is {size} bytes. {_EXPECTED}, and at least 1MiB."
        )
    return size


def _quote(given: object) -> str:
    """What was given, as far as it is worth its digits; Python refuses to write very many."""
    try:
        text = repr(given)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST_QUOTED else f"{text[:_LONGEST_QUOTED]}…"


def _from_text(text: str) -> int | None:
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        return None
    power, base = _POWERS[found["power"].lower()], (found["base"] or "").lower()
    if base == "ib" and not power:
        return None
    factor = 1000 if base == "b" else 1024
    return _within_reach(int(Decimal(found["number"]) * factor**power))


def _from_number(given: object) -> int | None:
    """NumPy's numbers too; not True, which is a number for Python."""
    if isinstance(given, bool):
        return None
    try:
        size = int(given)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return _within_reach(size) if size == given else None


def _within_reach(size: int) -> int | None:
    return size if abs(size) <= MOST_BYTES else None
