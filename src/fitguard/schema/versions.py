"""Version numbers as people give them: some of the parts may be unknown.

`12` is CUDA 12 of an unknown minor; it is neither older nor newer than `12.2`.
"""

import re
from functools import lru_cache

Version = tuple[int, ...]


@lru_cache(maxsize=4096)
def parse(text: str) -> Version:
    """The leading numbers of a version: `12.5.1` → (12, 5, 1), `2.15.0.post1` → (2, 15, 0).

    Raises:
        ValueError: if the text does not start with a number.
    """
    match = re.match(r"\s*[vVrR]?(\d+(?:\.\d+)*)", text)
    if not match:
        raise ValueError(f"Received {text!r}, which is no version. Expected numbers such as 12.2")
    return tuple(int(part) for part in match[1].split("."))


def older(have: Version, need: Version) -> bool:
    """Whether `have` is surely older than `need`; equal as far as both are known is not older."""
    length = min(len(have), len(need))
    return have[:length] < need[:length]


def newer(have: Version, need: Version) -> bool:
    """Whether `have` is surely newer than `need`, as far as both are known."""
    return older(need, have)


def same(have: Version, need: Version, parts: int) -> bool:
    """Whether the first `parts` parts agree, as far as both are known."""
    length = min(len(have), len(need), parts)
    return have[:length] == need[:length]


def text(version: Version, parts: int | None = None) -> str:
    """`(12, 5, 1)` → `12.5.1`, or `12.5` with `parts=2`."""
    return ".".join(str(part) for part in version[:parts])
