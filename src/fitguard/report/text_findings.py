"""Findings on a console, what was not checked, and one line of summary."""

from fitguard.report.documents import Judged
from fitguard.report.summary import (
    checks_broken,
    checks_made,
    failed_probes,
    gravest_first,
    remarks,
    unmade,
    verdict,
    with_earlier_fix,
)
from fitguard.report.text_page import Page
from fitguard.report.text_quotation import print_evidence, print_fix
from fitguard.report.words import one_line
from fitguard.schema.finding import Finding, Fix

SYMBOLS = {"error": ("✖", "bold red"), "warning": ("▲", "bold yellow"), "info": ("●", "bold blue")}


def print_findings(report: Judged, page: Page, *, verbose: bool) -> None:
    """The findings, one line of summary; if `verbose`, what was not made."""
    for finding, earlier in with_earlier_fix(gravest_first(report)):
        _print_finding(finding, page, verbose=verbose)
        _print_fix(finding.fix, earlier, page)
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
        print_evidence(evidence, page, verbose=verbose)


def _print_fix(fix: Fix, earlier: str | None, page: Page) -> None:
    """The fix; where an earlier finding gave the same one, its code is enough."""
    if earlier:
        page.put(("fix: ", "green"), f"the same as for {earlier}", first="    ")
        return
    print_fix(fix, page)


def _print_unmade(report: Judged, page: Page) -> None:
    lacking = unmade(report)
    if lacking.rows:
        page.heading(lacking.title)
        for code, slug, reason in lacking.rows:
            page.put(f"{code} {slug}: {reason}", first="  ", rest="    ")
        page.blank()
    if probes := failed_probes(report):
        page.heading("Probes that failed")
        for probe in probes:
            page.put(f"{probe.name}: {probe.problem}", first="  ", rest="    ")
        page.blank()
    if report.passed:
        page.heading("Checks that passed")
        page.put(", ".join(report.passed), first="  ")
        page.blank()


def _print_summary(report: Judged, page: Page, *, verbose: bool) -> None:
    grave = "bold red" if not report.ok else "bold yellow" if report.findings else "bold green"
    listed = unmade(report).rows or failed_probes(report)
    hint = " (--verbose lists them)" if listed and not verbose else ""
    page.put((verdict(report), grave), f" · {checks_made(report)}{hint}")
    if broken := checks_broken(report):
        page.put((broken, "bold yellow"), rest="  ")
