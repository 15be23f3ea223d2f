"""The pages of codes and causes, and the lists of them."""

import difflib
import shutil
import sys
import textwrap

from fitguard.schema.exit_codes import UsageError

WAYS = """
  fitguard explain train.log    why the training that wrote this log died
  fitguard explain RUN          the same for a guarded run; `fitguard runs` lists them
  fitguard explain gpu-oom      the page of a cause or a code
  fitguard explain --list       all of these pages
"""


def is_page(name: str) -> bool:
    """Whether it is a code, a group of codes, or a slug."""
    from fitguard.causes.framework.registry import all_causes
    from fitguard.checks.framework.registry import find_check

    return name.lower() in all_causes() or find_check(name) is not None or name.upper() in _groups()


def print_page(name: str) -> None:
    """The page of a cause or a check, or the list of a group.

    A slug may name both: what the doctor finds beforehand is what kills a run later. Then the
    cause's page is shown, and points to the check.

    Raises:
        UsageError: if it is the name of nothing.
    """
    from fitguard.causes.framework.registry import all_causes
    from fitguard.checks.framework.registry import find_check

    if name.upper() in _groups():
        _print_codes(name.upper())
        return
    cause, check = all_causes().get(name.lower()), find_check(name)
    if cause is not None:
        _print_markdown(f"# {cause.slug}\n\n{cause.summary}\n\n{cause.page}\n")
        if check is not None:
            sys.stdout.write(f"\nThe doctor's check of that name: fitguard explain {check.code}\n")
    elif check is not None:
        _print_markdown(f"# {check.code} {check.slug}\n\n{check.summary}\n\n{check.page}\n")
    else:
        raise UsageError(_unknown(name))


def print_ways(lead: str) -> None:
    """What can be asked."""
    sys.stdout.write(f"{lead}\n{WAYS}")


def print_lists() -> None:
    """All causes, then all codes."""
    from fitguard.causes.framework.registry import all_causes

    sys.stdout.write("Causes of a crash\n")
    for cause in all_causes().values():
        _print_row(f"{cause.slug:24} ", cause.summary)
    sys.stdout.write("\nCodes of `fitguard doctor`, and of `fitguard data` (FG6)\n")
    _print_codes("FG")


def _print_codes(prefix: str) -> None:
    from fitguard.checks.framework.registry import all_checks

    for check in all_checks().values():
        if check.code.startswith(prefix):
            _print_row(f"{check.code}  {check.slug:29} ", check.summary)


def _print_row(label: str, summary: str) -> None:
    columns = max(shutil.get_terminal_size((120, 24)).columns, len(label) + 20)
    indent = " " * len(label)
    sys.stdout.write(textwrap.fill(label + summary, columns, subsequent_indent=indent) + "\n")


def _groups() -> set[str]:
    from fitguard.checks.framework.registry import all_checks

    return {"FG", *(code[:3] for code in all_checks())}


def _unknown(name: str) -> str:
    from fitguard.causes.framework.registry import all_causes
    from fitguard.checks.framework.registry import all_checks

    slugs = [*all_causes(), *(check.slug for check in all_checks().values())]
    close = difflib.get_close_matches(name.lower(), slugs, n=3, cutoff=0.5)
    close += difflib.get_close_matches(name.upper(), all_checks(), n=3, cutoff=0.7)
    hint = f" Close to it: {', '.join(list(dict.fromkeys(close))[:3])}." if close else ""
    return (
        f"Received {name!r}.{hint} Expected a log, the id of a run (`fitguard runs` lists them), "
        "or the name of a page (`fitguard explain --list` lists them)"
    )


def _print_markdown(text: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))
