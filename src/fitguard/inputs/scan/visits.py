"""The order in which the parts of something long are visited."""

from collections.abc import Iterator


def spread(parts: int) -> Iterator[int]:
    """First, last, then ever closer between them: stop anywhere, and an even sample was seen."""
    if parts < 1:
        return
    yield 0
    if parts > 1:
        yield parts - 1
    bits = (parts - 1).bit_length()
    for number in range(1, 1 << bits):
        mirrored = int(f"{number:0{bits}b}"[::-1], 2)
        if mirrored < parts - 1:
            yield mirrored
