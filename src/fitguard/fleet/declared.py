"""Cards that somebody declared on a node: for machines without GPUs, and for tests.

`FITGUARD_CARDS=FakeA:2GiB,FakeB:1GiB` in the environment of a node, which also gives Ray as many
GPUs (`ray start --num-gpus=2`), makes cards of its processor: a training there gets that much of
host memory through TensorFlow's allocator.
"""

from fitguard.memory.sizes import size_bytes
from fitguard.schema.exit_codes import UsageError

CARDS_VARIABLE = "FITGUARD_CARDS"


def read_declared(text: str) -> tuple[tuple[str, int], ...]:
    """Name and bytes of each card, in the order of their indexes; none for an empty text.

    Raises:
        UsageError: where it is no list of names and sizes.
    """
    cards = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, given = part.rpartition(":")
        if not separator or not name.strip():
            raise UsageError(
                f"Received {CARDS_VARIABLE}={text}. Expected names and sizes, such as "
                "FakeA:2GiB,FakeB:1GiB"
            )
        cards.append((name.strip(), size_bytes(given, CARDS_VARIABLE)))
    return tuple(cards)
