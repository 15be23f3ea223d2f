"""Every signature that Python asks for by name exists: a misspelt one would never be found."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import fitguard
from fitguard.causes.framework.registry import all_causes
from fitguard.checks.framework.registry import all_checks
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story
from fitguard.schema.run import Action, Outcome

PACKAGE = Path(fitguard.__file__).parent
FILES = sorted([*PACKAGE.glob("causes/**/*.py"), *PACKAGE.glob("crash/*.py")])
SIGNATURES = knowledge().signatures.by_name.keys()
ASKING = ("first", "all", "has")
HYPHENATED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
OTHER_WORDS = {
    "compute-capability", "first-tensorflow-cpu-2", "nvidia-smi", "user-app",
    "cuda-nvcc", "tensorflow-gpu", "tf-nightly-gpu",
    "latin-1", "utf-8", "utf-16", "utf-16-be", "utf-16-le", "utf-32",
    *get_args(Action), *get_args(Outcome),
}  # fmt: skip
"""Keys, packages, encodings, actions and outcomes: no names of signatures."""


def texts_in(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def trees() -> Iterator[ast.Module]:
    for file in FILES:
        yield ast.parse(file.read_text(encoding="utf-8"), file.name)


def test_every_name_that_a_story_is_asked_for_exists() -> None:
    asked = {
        text
        for tree in trees()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ASKING
        for argument in call.args
        for text in texts_in(argument)
    }
    assert len(asked) > 100
    assert asked - SIGNATURES == set()


def test_every_hyphenated_word_is_a_name_that_exists() -> None:
    """Names stand in tables too, from where they are asked for."""
    slugs = {*all_causes(), *(check.slug for check in all_checks().values())}
    words = {text for tree in trees() for text in texts_in(tree) if HYPHENATED.fullmatch(text)}
    assert words - SIGNATURES - slugs - OTHER_WORDS == set()


def test_a_story_that_knows_the_names_refuses_others() -> None:
    story = Story(signals=(Signal("xid", "stop", "", "log"),), known=frozenset(SIGNATURES))
    assert story.has("xid")
    for ask in (story.has, story.first, story.all):
        with pytest.raises(ValueError, match=r"Received xidd.*signatures"):
            ask("xid", "xidd")
