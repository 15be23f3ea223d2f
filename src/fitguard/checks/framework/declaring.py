"""What checks and detectors share: how one is declared in a file of its own, with its page."""

import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Protocol


class Declared(Protocol):
    """What bears a code."""

    @property
    def code(self) -> str: ...

    @property
    def slug(self) -> str: ...


class Texts(NamedTuple):
    """What people read of it.

    Args:
        summary: One line: what is wrong when it finds something.
        page: Markdown, for `fitguard explain CODE`.
    """

    summary: str
    page: str


def require_free(code: str, slug: str, declared: Iterable[Declared], hundreds: str) -> None:
    """Make sure that a code and a slug are not taken.

    Args:
        hundreds: First digits that the code may have: `1-7`.

    Raises:
        ValueError: where one is, or the code is none.
    """
    taken = [known for known in declared if code == known.code or slug == known.slug]
    if taken:
        raise ValueError(f"Received {code} {slug}, taken by {taken[0].code} {taken[0].slug}")
    if not re.fullmatch(rf"FG[{hundreds}]\d\d", code):
        first, _, last = hundreds.partition("-")
        raise ValueError(f"Received {code!r}. Expected a code from FG{first}00 to FG{last}99")


def read_texts(function: Callable[..., Any]) -> Texts:
    """The first line of the file's docstring, and the function's own."""
    module = sys.modules[function.__module__]
    return Texts((inspect.getdoc(module) or "").split("\n")[0], inspect.getdoc(function) or "")


def import_all(package: str) -> None:
    """Import the modules of a package, which declare what they hold; not its packages."""
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if not module.ispkg:
            importlib.import_module(f"{package}.{module.name}")
