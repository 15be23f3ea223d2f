"""`fitguard explain`."""

import difflib
import sys
from typing import TYPE_CHECKING

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.checks.registry import Check


def explain(code: str | None = None, /) -> None:
    """What does a code mean?

    Prints the page of a code or slug: what it means, why training crashes, how to fix it, when
    the finding is wrong. Without an argument, lists all codes.

    For example:

        fitguard explain FG204
        fitguard explain cudnn-too-old

    Parameters
    ----------
    code
        A code such as FG204, or a slug such as cudnn-too-old.
    """
    from fitguard.checks.registry import all_checks, find_check

    if code is None:
        for check in all_checks().values():
            sys.stdout.write(f"{check.code}  {check.slug:24} {check.summary}\n")
        return
    found = find_check(code)
    if found is None:
        raise UsageError(_unknown(code))
    _print_page(found)


def _unknown(code: str) -> str:
    from fitguard.checks.registry import all_checks

    names = [name for check in all_checks().values() for name in (check.code, check.slug)]
    close = difflib.get_close_matches(code, names, n=3, cutoff=0.5)
    hint = f" Close to it: {', '.join(close)}." if close else ""
    return f"Received {code!r}.{hint} Expected a code or slug; `fitguard explain` lists them"


def _print_page(check: "Check") -> None:
    text = f"# {check.code} {check.slug}\n\n{check.summary}\n\n{check.page}\n"
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
