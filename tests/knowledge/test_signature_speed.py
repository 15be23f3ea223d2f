"""No line, however strange, holds a signature up: logs are hostile input."""

import time
from collections.abc import Iterator

import pytest

from fitguard.crash.signals import WORDS_LIMIT
from fitguard.knowledge import knowledge
from fitguard.knowledge.log_signatures import Signature, compile_pattern

SIGNATURES = knowledge().signatures.all
LONG_LINE = 32 * 1024
SECONDS = 0.3
SECONDS_FOR_WORDS = 0.6
"""Words are searched with more freedom between them, but only in texts that are short."""
SHORT_FIRST = 16
"""A pattern whose time grows with the square of the text is found out on a part of it."""
RUNS = 8
REPEATED = ("a", "0", "A", " ", "/", "_", "-", "*", "a ", "12 ", "a.", "word ", "no gpu memory ")


def hostile(signature: Signature) -> Iterator[str]:
    """What may send a pattern back and forth: the same again and again, with its own words."""
    words = dict.fromkeys(word for example in signature.examples for word in example.split())
    yield from REPEATED
    for word in [*words, *signature.anchors][:12]:
        yield word
        yield word + " "


def seconds(signature: Signature, pattern: str, text: str) -> float:
    """The least of some runs, in time of the processor: others may be busy on the machine."""
    search = compile_pattern(pattern, signature.role).search
    least = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        search(text)
        least = min(least, time.process_time() - start)
        if least < SECONDS / 2:
            break
    return least


@pytest.mark.parametrize("signature", SIGNATURES, ids=lambda item: item.name)
def test_a_long_line_costs_little(signature: Signature) -> None:
    words = signature.role == "words"
    length, budget = (WORDS_LIMIT, SECONDS_FOR_WORDS) if words else (LONG_LINE, SECONDS)
    patterns = [*signature.searched, *filter(None, [signature.unless])]
    for pattern in patterns:
        for unit in hostile(signature):
            text = unit * (length // len(unit))
            part = seconds(signature, pattern, text[: length // SHORT_FIRST])
            assert part < budget, (unit, pattern)
            assert seconds(signature, pattern, text) < budget, (unit, pattern)
