"""The pages of codes, causes and probes, and the lists of them. Checks and detectors have codes."""

import difflib
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.causes.framework.registry import Cause
    from fitguard.checks.framework.registry import Check
    from fitguard.monitor.detectors.framework.registry import Detector
    from fitguard.probes.registry import Probe

WAYS = """
  fitguard explain train.log    why the training that wrote this log died
  fitguard explain RUN          the same for a guarded run; `fitguard runs` lists them
  fitguard explain gpu-oom      the page of a cause, a code or a probe
  fitguard explain --list       all of these pages
"""


def is_page(name: str) -> bool:
    """Whether it is a code, a group of codes, a slug, or a probe."""
    return name.lower() in _named() or _find(name) is not None or name.upper() in _groups()


def print_page(name: str) -> None:
    """The page of a cause, a check or a probe, or the list of a group.

    A slug may name both: what the doctor finds beforehand is what kills a run later. Then the
    cause's page is shown, and points to the check.

    Raises:
        UsageError: if it is the name of nothing.
    """
    if name.upper() in _groups():
        _print_codes(name.upper())
        return
    named, coded = _named().get(name.lower()), _find(name)
    if named is not None:
        _print_markdown(f"# {name.lower()}\n\n{named.summary}\n\n{named.page}\n")
        if coded is not None:
            sys.stdout.write(f"\nThe doctor's check of that name: fitguard explain {coded.code}\n")
    elif coded is not None:
        _print_markdown(f"# {coded.code} {coded.slug}\n\n{coded.summary}\n\n{coded.page}\n")
    else:
        raise UsageError(_unknown(name))


def print_ways(lead: str) -> None:
    """What can be asked."""
    sys.stdout.write(f"{lead}\n{WAYS}")


def print_lists() -> None:
    """All causes, then all codes, then all probes."""
    from fitguard.causes.framework.registry import all_causes
    from fitguard.probes.registry import all_probes

    sys.stdout.write("Causes of a crash\n")
    for cause in all_causes().values():
        _print_row(f"{cause.slug:24} ", cause.summary)
    sys.stdout.write(
        "\nCodes of `fitguard doctor`, of `fitguard data` (FG6), and of alerts while a training "
        "runs (FG41, FG51)\n"
    )
    _print_codes("FG")
    sys.stdout.write("\nProbes of `fitguard probe`\n")
    for probe in all_probes().values():
        _print_row(f"{probe.name:31} ", probe.summary)


def _print_codes(prefix: str) -> None:
    for code, coded in _list_coded().items():
        if code.startswith(prefix):
            _print_row(f"{code}  {coded.slug:29} ", coded.summary)


def _print_row(label: str, summary: str) -> None:
    columns = max(shutil.get_terminal_size((120, 24)).columns, len(label) + 20)
    indent = " " * len(label)
    sys.stdout.write(textwrap.fill(label + summary, columns, subsequent_indent=indent) + "\n")


def _named() -> "dict[str, Cause | Probe]":
    """All that has a name and no code."""
    from fitguard.causes.framework.registry import all_causes
    from fitguard.probes.registry import all_probes

    return {**all_probes(), **all_causes()}


def _list_coded() -> "dict[str, Check | Detector]":
    """All that has a code, in the order of codes."""
    from fitguard.checks.framework.registry import all_checks
    from fitguard.monitor.detectors.framework.registry import all_detectors

    coded: dict[str, Check | Detector] = {**all_checks(), **all_detectors()}
    return dict(sorted(coded.items()))


def _find(name: str) -> "Check | Detector | None":
    """By code or slug, in any case."""
    for code, coded in _list_coded().items():
        if name.upper() == code or name.lower() == coded.slug:
            return coded
    return None


def _groups() -> set[str]:
    return {"FG", *(code[:3] for code in _list_coded())}


def _unknown(name: str) -> str:
    slugs = [*_named(), *(coded.slug for coded in _list_coded().values())]
    close = difflib.get_close_matches(name.lower(), slugs, n=3, cutoff=0.5)
    close += difflib.get_close_matches(name.upper(), _list_coded(), n=3, cutoff=0.7)
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
