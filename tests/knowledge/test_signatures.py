"""Every signature knows its own examples, and no other's."""

import re

import pytest

from fitguard.crash.ending import SIGNALS
from fitguard.crash.signals import Recogniser
from fitguard.knowledge import knowledge
from fitguard.knowledge.log_signatures import Signature
from fitguard.schema.crash import Line, Role

SIGNATURES = knowledge().signatures
RECOGNISER = Recogniser(SIGNATURES)
ASIDE: set[Role] = {"words", "clue"}
"""Roles that a line may have beside another one."""
EXAMPLES = [(signature, example) for signature in SIGNATURES.all for example in signature.examples]


@pytest.mark.parametrize(
    ("signature", "example"), EXAMPLES, ids=[f"{item.name}: {text[:40]}" for item, text in EXAMPLES]
)
def test_an_example_is_known_by_its_own_signature_alone(signature: Signature, example: str) -> None:
    lines = [Line(n, text, "log") for n, text in enumerate(example.split("\n"), 1)]
    signals = RECOGNISER.signals(lines)
    kind = ASIDE & {signature.role}
    known = {signal.name for signal in signals if ASIDE & {signal.role} == kind}
    assert known == {signature.name}


@pytest.mark.parametrize("signature", SIGNATURES.all, ids=lambda item: item.name)
def test_a_signature_is_complete(signature: Signature) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", signature.name)
    assert signature.examples
    assert signature.meaning.endswith(".")
    assert signature.source
    if signature.role == "words":
        assert signature.searched
        assert not signature.anchors
    else:
        assert all(len(anchor.encode()) >= 4 for anchor in signature.anchors)
        assert signature.anchors


def test_no_name_of_a_vocabulary_is_left_in_a_pattern() -> None:
    searched = [pattern for item in SIGNATURES.all for pattern in item.searched]
    assert not [pattern for pattern in searched if "<<" in pattern]


def test_a_group_that_tells_of_a_signal_names_one() -> None:
    groups = {
        group
        for item in SIGNATURES.all
        for pattern in item.searched
        for group in re.compile(pattern).groupindex
        if group.startswith("sig") and group != "signal"
    }
    assert groups
    assert {group.partition("_")[0].upper() for group in groups} <= set(SIGNALS.values())


def test_names_are_unique() -> None:
    names = [signature.name for signature in SIGNATURES.all]
    assert sorted(set(names)) == sorted(names)
