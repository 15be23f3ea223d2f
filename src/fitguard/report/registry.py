"""The documents that fitguard writes: one row each.

The name of a row is the noun of its schema (`fitguard/doctor/1`), of its published JSON Schema
(`knowledge/schemas/doctor.json`) and of the module in `pages/` whose `build_page` makes its page,
there with `_` for `-`.
"""

import importlib
from typing import NamedTuple, Protocol

import msgspec

from fitguard.report.blocks import Page
from fitguard.report.privacy.redaction import LONGEST, clean_strings
from fitguard.report.rows.excerpt import excerpt_logs
from fitguard.schema.check import CheckReport
from fitguard.schema.data import DataReport
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts
from fitguard.schema.fleet import Fleet
from fitguard.schema.fleet_survey import FleetSurvey
from fitguard.schema.notice import RunNotice
from fitguard.schema.plan import Plan
from fitguard.schema.probe import ProbeReport
from fitguard.schema.resolution import Resolution
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList
from fitguard.schema.runs_report import RunsReport
from fitguard.schema.watch import Watch


class Document(Protocol):
    """A struct with a row below."""

    @property
    def schema(self) -> str: ...


class Entry(NamedTuple):
    """One document.

    Args:
        finds: The command whose answer has findings or causes, which SARIF can hold.
    """

    name: str
    struct: type[msgspec.Struct]
    finds: str = ""

    @property
    def schema(self) -> str:
        """As the document names it."""
        return f"fitguard/{self.name}/1"


ENTRIES = (
    Entry("check", CheckReport, finds="fitguard check FILE.py"),
    Entry("doctor", DoctorReport, finds="fitguard doctor"),
    Entry("data", DataReport, finds="fitguard data FILE.py"),
    Entry("diagnosis", Diagnosis, finds="fitguard explain FILE"),
    Entry("facts", Facts),
    Entry("fleet", Fleet),
    Entry("fleet-survey", FleetSurvey),
    Entry("notice", RunNotice),
    Entry("plan", Plan),
    Entry("probe", ProbeReport),
    Entry("resolve", Resolution),
    Entry("run", Run),
    Entry("runs", RunList),
    Entry("runs-report", RunsReport),
    Entry("watch", Watch),
)
BY_NAME = {entry.name: entry for entry in ENTRIES}
_BY_SCHEMA = {entry.schema: entry for entry in ENTRIES}


def entry_of(document: Document) -> Entry:
    """The row of a document."""
    return _BY_SCHEMA[document.schema]


def build_page(document: Document, longest_quotation: int = LONGEST) -> Page:
    """The page of a document, for every format that shows pages; its strings are safe to show.

    Args:
        longest_quotation: Of a line of a log: of a longer one, the part that says most.
    """
    # Only one page is needed at a time, and some draw charts.
    name = entry_of(document).name.replace("-", "_")
    module = importlib.import_module(f"fitguard.report.pages.{name}")
    page: Page = module.build_page(clean_strings(excerpt_logs(document, longest_quotation)))
    return page
