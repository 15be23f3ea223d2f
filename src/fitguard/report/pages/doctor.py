"""The page of the doctor: what was judged, what is wrong, what was not checked, all facts."""

from fitguard.report.blocks import Folded, Page, Pairs, present
from fitguard.report.pages.facts import build_sections
from fitguard.report.pages.findings import build_findings, build_verdict
from fitguard.report.rows.headline import headline
from fitguard.schema.doctor import DoctorReport


def build_page(report: DoctorReport) -> Page:
    """One screen, where little is wrong."""
    probes = report.facts.failed_probes
    return Page(
        "fitguard doctor",
        present(
            Pairs(tuple(headline(report.facts))),
            *build_findings(report, probes),
            Folded("Facts", build_sections(report.facts), console=False),
        ),
        build_verdict(report, "No problem found", probes),
    )
