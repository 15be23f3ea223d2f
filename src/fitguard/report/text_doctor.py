"""The doctor's report on a console: one screen, where little is wrong."""

from fitguard.report.headline import headline
from fitguard.report.summary import checks_made, gravest_first, remarks, source, verdict
from fitguard.report.text_page import Page
from fitguard.report.words import one_line
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import Evidence, Finding, Fix

SYMBOLS = {"error": ("✖", "bold red"), "warning": ("▲", "bold yellow"), "info": ("●", "bold blue")}
QUOTE = "    │ "
EVIDENCE_LINES = 8
"""More of one quotation would push the fix off the screen."""


def print_doctor(report: DoctorReport, page: Page, *, verbose: bool) -> None:
    """What was judged, the findings, one line of summary; if `verbose`, what was not made."""
    rows = headline(report.facts)
    for name, value in rows:
        page.row(name, one_line(value), columns=10)
    if rows:
        page.blank()
    mended: dict[Fix, str] = {}
    for finding in gravest_first(report):
        _print_finding(finding, page, verbose=verbose)
        _print_fix(finding.fix, mended.get(finding.fix), page)
        mended.setdefault(finding.fix, finding.code)
        page.blank()
    if verbose:
        _print_unmade(report, page)
    _print_summary(report, page, verbose=verbose)


def _print_finding(finding: Finding, page: Page, *, verbose: bool) -> None:
    symbol, style = SYMBOLS[finding.severity]
    remark = "".join(f" ({words})" for words in remarks(finding))
    page.put(
        (f"{symbol} {finding.code}", style),
        " ",
        (one_line(finding.title), "bold"),
        (remark, "italic"),
        rest="  ",
    )
    for evidence in finding.evidence:
        _print_evidence(evidence, page, lines=None if verbose else EVIDENCE_LINES)


def _print_fix(fix: Fix, told: str | None, page: Page) -> None:
    """The fix; where an earlier finding gave the same one, its code is enough."""
    if told:
        page.put(("fix: ", "green"), f"the same as for {told}", first="    ")
        return
    if fix.text:
        page.put(("fix: ", "green"), fix.text, first="    ", rest="         ")
    page.commands(fix.commands, indent="      ")


def _print_evidence(evidence: Evidence, page: Page, *, lines: int | None) -> None:
    quoted = evidence.text.rstrip("\n").split("\n")
    shown = quoted if lines is None else quoted[:lines]
    text = "\n".join(shown)
    if left_out := len(quoted) - len(shown):
        text += f"\n… {left_out} more lines (--verbose shows them)"
    origin = one_line(source(evidence))
    if len(f"{QUOTE}{shown[-1]} — {origin}") <= page.console.width:
        page.put((text, "dim"), (f" — {origin}", "dim italic"), first=QUOTE, rest=QUOTE)
        return
    # A source that does not fit behind its quotation stands below it.
    page.put((text, "dim"), first=QUOTE, rest=QUOTE)
    page.put((origin, "dim italic"), first=f"{QUOTE}  ", rest=f"{QUOTE}  ")


def _print_unmade(report: DoctorReport, page: Page) -> None:
    if report.skipped:
        page.heading("Checks that could not be made")
        for skipped in report.skipped:
            page.put(f"{skipped.code} {skipped.slug}: {skipped.reason}", first="  ", rest="    ")
        page.blank()
    if report.facts.failed_probes:
        page.heading("Probes that failed")
        for probe in report.facts.failed_probes:
            page.put(f"{probe.name}: {probe.problem}", first="  ", rest="    ")
        page.blank()
    if report.passed:
        page.heading("Checks that passed")
        page.put(", ".join(report.passed), first="  ")
        page.blank()


def _print_summary(report: DoctorReport, page: Page, *, verbose: bool) -> None:
    grave = "bold red" if not report.ok else "bold yellow" if report.findings else "bold green"
    unmade = report.skipped or report.facts.failed_probes
    hint = " (--verbose lists them)" if unmade and not verbose else ""
    page.put((verdict(report), grave), f" · {checks_made(report)}{hint}")
