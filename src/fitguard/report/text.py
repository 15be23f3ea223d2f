"""Text for a terminal, with rich."""

import io

from rich.console import Console

from fitguard.report.documents import Document
from fitguard.report.excerpt import excerpted
from fitguard.report.text_data import print_data
from fitguard.report.text_diagnosis import print_diagnosis
from fitguard.report.text_doctor import print_doctor
from fitguard.report.text_facts import print_facts
from fitguard.report.text_page import Page
from fitguard.report.text_plan import print_plan
from fitguard.report.text_resolution import print_resolution
from fitguard.report.text_run import print_run
from fitguard.report.text_runs import print_runs
from fitguard.schema.data import DataReport
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.plan import Plan
from fitguard.schema.resolution import Resolution
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList

COLUMNS = 80
LONGEST_QUOTATION, LONGEST_WHEN_VERBOSE = 300, 3000


def print_document(document: Document, console: Console, *, verbose: bool = False) -> None:
    """Print to a console, in its width, colours and encoding.

    Args:
        verbose: Also the checks that were not made and the probes that failed; of a diagnosis, all
            causes in full; of a plan, all layers and the reasons for its ranges; of a run, all
            attempts and decisions.
    """
    page = Page(console)
    if isinstance(document, Diagnosis):
        longest = LONGEST_WHEN_VERBOSE if verbose else LONGEST_QUOTATION
        document = excerpted(document, longest)
    shown = page.showable(document)
    if isinstance(shown, DoctorReport):
        print_doctor(shown, page, verbose=verbose)
    elif isinstance(shown, DataReport):
        print_data(shown, page, verbose=verbose)
    elif isinstance(shown, Diagnosis):
        print_diagnosis(shown, page, verbose=verbose)
    elif isinstance(shown, Resolution):
        print_resolution(shown, page)
    elif isinstance(shown, Plan):
        print_plan(shown, page, verbose=verbose)
    elif isinstance(shown, Run):
        print_run(shown, page, verbose=verbose)
    elif isinstance(shown, RunList):
        print_runs(shown, page)
    else:
        print_facts(shown, page)


def to_text(document: Document, *, verbose: bool = False) -> str:
    """The same without colour, as a string of 80 columns; commands are never broken."""
    out = io.StringIO()
    console = Console(file=out, width=COLUMNS, color_system=None, force_terminal=False)
    print_document(document, console, verbose=verbose)
    return out.getvalue()
