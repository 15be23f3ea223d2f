"""Every signature that Python asks for by name exists: a misspelt one would never be found."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import fitguard
from fitguard.causes.framework.registry import all_causes
from fitguard.checks.framework.registry import all_checks
from fitguard.knowledge import knowledge
from fitguard.schema.crash import Signal, Story

PACKAGE = Path(fitguard.__file__).parent
FILES = sorted([*PACKAGE.glob("causes/**/*.py"), *PACKAGE.glob("crash/*.py")])
SIGNATURES = knowledge().signatures.by_name.keys()
ASKING = ("first", "all", "has")
HYPHENATED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
OTHER_WORDS = {
    "compute-capability", "tf-keras", "linux-x86", "latin-1", "utf-8", "user-app", "and-cuda",
    "out-of-memory", "other-allocator", "wait-for-memory", "leave-out-gpu", "jit-off",
    "mixed-precision", "planned-restart", "smaller-micro-batch",
}  # fmt: skip
"""Keys of `--what-if`, encodings, actions and outcomes: no names of signatures."""


def texts_in(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_name_is_known(file: Path) -> None:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    asked = {
        text
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in ASKING
        for argument in call.args
        for text in texts_in(argument)
    }
    assert asked - SIGNATURES == set()
    slugs = {*all_causes(), *(check.slug for check in all_checks().values())}
    hyphenated = {text for text in texts_in(tree) if HYPHENATED.fullmatch(text)}
    assert hyphenated - SIGNATURES - slugs - OTHER_WORDS == set()


def test_a_story_that_knows_the_names_refuses_others() -> None:
    story = Story(signals=(Signal("xid", "stop", "", "log"),), known=frozenset(SIGNATURES))
    assert story.has("xid")
    for ask in (story.has, story.first, story.all):
        with pytest.raises(ValueError, match=r"Received xidd.*signatures"):
            ask("xid", "xidd")
