"""The doctor's report on a console: one screen, where little is wrong."""

from fitguard.report.headline import headline
from fitguard.report.text_findings import print_findings
from fitguard.report.text_page import Page
from fitguard.report.words import one_line
from fitguard.schema.doctor import DoctorReport


def print_doctor(report: DoctorReport, page: Page, *, verbose: bool) -> None:
    """What was judged, then the findings."""
    rows = headline(report.facts)
    for name, value in rows:
        page.row(name, one_line(value), columns=10)
    if rows:
        page.blank()
    print_findings(report, page, verbose=verbose)
