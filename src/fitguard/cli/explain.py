"""`fitguard explain`."""

import difflib
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.checks.framework.registry import Check


def explain(code: str | None = None, /) -> None:
    """What does a code mean?

    Prints the page of a code or slug: what it means, why training crashes, how to fix it, when
    the finding is wrong. Without an argument, lists all codes; FG2 lists that group.

    For example:

        fitguard explain FG204
        fitguard explain cudnn-too-old
        fitguard explain FG2

    Parameters
    ----------
    code
        A code such as FG204, or a slug such as cudnn-too-old.
    """
    from fitguard.checks.framework.registry import find_check

    if code is None or code.upper() in _groups():
        _print_list(code.upper() if code else "FG")
        return
    found = find_check(code)
    if found is None:
        raise UsageError(_unknown(code))
    _print_page(found)


def _groups() -> set[str]:
    from fitguard.checks.framework.registry import all_checks

    return {"FG", *(code[:3] for code in all_checks())}


def _print_list(prefix: str) -> None:
    from fitguard.checks.framework.registry import all_checks

    columns = shutil.get_terminal_size((120, 24)).columns
    for check in all_checks().values():
        if check.code.startswith(prefix):
            line = f"{check.code}  {check.slug:24} {check.summary}"
            sys.stdout.write(textwrap.fill(line, columns, subsequent_indent=" " * 32) + "\n")


def _unknown(code: str) -> str:
    from fitguard.checks.framework.registry import all_checks

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
