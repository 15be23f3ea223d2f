"""The runs of a folder on a console."""

from fitguard.report.run_lines import run_table, title
from fitguard.report.text_page import Page
from fitguard.report.text_table import print_table
from fitguard.report.words import one_line
from fitguard.schema.run_list import RunList

LONGEST_COMMAND = 24


def print_runs(runs: RunList, page: Page) -> None:
    """A table, the newest run last; or that there is none."""
    if runs.runs:
        print_table(run_table(runs, LONGEST_COMMAND), page)
    else:
        page.put(title(runs))
    for why in runs.unreadable:
        page.put((f"not read: {one_line(why)}", "yellow"))
