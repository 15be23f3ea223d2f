"""How a check is declared and found.

A check is a function whose parameters name the facts it needs (see `fixtures.py`). It returns a
finding, several, or None. The file's docstring says in one line what is wrong, the function's
docstring is the page that `fitguard explain CODE` shows.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal

from fitguard.checks.framework.declaring import import_all, read_texts, require_free
from fitguard.checks.framework.fixtures import OF_DATA, OF_MACHINE, needs, require_facts
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.finding import Finding

Verdict = Finding | Iterable[Finding] | None
CheckFunction = Callable[..., Verdict]
Subject = Literal["environment", "data"]

_PACKAGES: dict[Subject, str] = {
    "environment": "fitguard.checks",
    "data": "fitguard.checks.data",
}
"""What checks judge, and where they lie."""


@dataclass(frozen=True)
class Check:
    """A declared check.

    Args:
        subject: What it judges: the machine, or data and model.
        requires: Codes of checks that must have found nothing: what they found would make this
            check speak of mere fallout.
        needs: The facts it asks for, and whether it must have each.
        summary: One line: what is wrong when this check finds something.
        page: Markdown: what it means, why training crashes, how to fix it, when it is wrong.
    """

    code: str
    slug: str
    subject: Subject
    requires: frozenset[str]
    function: CheckFunction
    needs: dict[str, bool]
    summary: str
    page: str


_declared: dict[str, Check] = {}


def check(
    code: str, slug: str, *, requires: Iterable[str] = ()
) -> Callable[[CheckFunction], CheckFunction]:
    """Declare a check; a code that is taken or a fact that does not exist fails at import time."""

    def declare(function: CheckFunction) -> CheckFunction:
        require_free(code, slug, _declared.values(), "1-7")
        of_data = function.__module__.startswith(_PACKAGES["data"])
        require_facts(function, OF_DATA if of_data else OF_MACHINE)
        _declared[code] = Check(
            code=code,
            slug=slug,
            subject="data" if of_data else "environment",
            requires=frozenset(requires),
            function=function,
            needs=needs(function),
            **read_texts(function)._asdict(),
        )
        return function

    return declare


@cache
def all_checks(subject: Subject | None = None) -> dict[str, Check]:
    """Every check, or every one of a subject, by code."""
    wanted = [subject] if subject else list(_PACKAGES)
    for name in wanted:
        import_all(_PACKAGES[name])
    return {code: found for code, found in sorted(_declared.items()) if found.subject in wanted}


def find_check(name: str) -> Check | None:
    """A check by its code or its slug, in any case."""
    for declared in all_checks().values():
        if name.upper() == declared.code or name.lower() == declared.slug:
            return declared
    return None


def matching(name: str) -> tuple[Check, ...]:
    """The checks that a code, the beginning of a code, or a slug names.

    Raises:
        UsageError: where there are none, and for an empty name.
    """
    found = tuple(
        declared
        for declared in all_checks().values()
        if name and (declared.code.startswith(name.upper()) or declared.slug == name.lower())
    )
    if not found:
        raise UsageError(
            f"Received {name!r}, which no check bears. Expected a code, a prefix or a slug: FG204, "
            "FG2, cudnn-too-old"
        )
    return found
