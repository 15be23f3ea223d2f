"""How a cause is declared and found.

A cause is a function from the story of a run to a verdict, or to None where nothing speaks for
it. The file's docstring says in one line what happened, the function's docstring is the page that
`fitguard explain SLUG` shows.
"""

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import get_args

from fitguard.causes.framework.policy_words import section_on_run
from fitguard.causes.framework.scales import Verdict
from fitguard.schema.crash import Story
from fitguard.schema.diagnosis import CauseSlug

CauseFunction = Callable[[Story], Verdict | None]


@dataclass(frozen=True)
class Cause:
    """A declared cause.

    Args:
        summary: One line: what happened.
        written: Markdown: what it means, how to be sure, how to fix it, when the reading is wrong.
    """

    slug: CauseSlug
    function: CauseFunction
    summary: str
    written: str

    @cached_property
    def page(self) -> str:
        """What is written, with what `fitguard run` does about the cause before the references."""
        if self.slug == "none":
            return self.written
        before, heading, references = self.written.partition("## References\n")
        return f"{before}{section_on_run(self.slug)}\n\n{heading}{references}"

    @property
    def remedy(self) -> str:
        """The first paragraph of the page on how to fix it."""
        _, _, section = self.written.partition("## How to fix it\n")
        return " ".join(section.partition("\n\n")[0].split())


_declared: dict[str, Cause] = {}


def cause(slug: CauseSlug) -> Callable[[CauseFunction], CauseFunction]:
    """Declare a cause; a slug outside the vocabulary, or taken, is an error at import time."""

    def declare(function: CauseFunction) -> CauseFunction:
        if slug not in get_args(CauseSlug):
            raise ValueError(
                f"Received {slug!r}. Expected one of: {', '.join(get_args(CauseSlug))}"
            )
        if slug in _declared:
            raise ValueError(f"Received {slug!r}, which is declared already")
        module = sys.modules[function.__module__]
        _declared[slug] = Cause(
            slug=slug,
            function=function,
            summary=(inspect.getdoc(module) or "").split("\n")[0],
            written=inspect.getdoc(function) or "",
        )
        return function

    return declare


@cache
def all_causes() -> dict[str, Cause]:
    """Every cause, by slug."""
    package = importlib.import_module("fitguard.causes")
    for module in pkgutil.iter_modules(package.__path__):
        if not module.ispkg:
            importlib.import_module(f"fitguard.causes.{module.name}")
    return dict(sorted(_declared.items()))
