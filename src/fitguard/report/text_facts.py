"""All facts on a console, section by section."""

from fitguard.report.sections import Section, sections
from fitguard.report.text_page import Page
from fitguard.schema.facts import Facts

INDENT = "  "
WIDEST_LABEL = 22


def print_facts(facts: Facts, page: Page) -> None:
    """A heading for each section, a line for each fact."""
    known = sections(facts)
    if not known:
        page.put("Nothing is known.")
    for number, section in enumerate(known):
        if number:
            page.blank()
        page.heading(section.title)
        _print_rows(section, page)


def _print_rows(section: Section, page: Page) -> None:
    """Tables are too wide for a console: the first cell is the label, the others follow it."""
    columns = min(max(len(row[0]) for row in section.rows), WIDEST_LABEL)
    for label, *cells in section.rows:
        named = zip(section.headers[1:] or [""], cells, strict=True)
        told = [f"{header}: {cell}" if cell in ("yes", "no") and header else cell
                for header, cell in named if cell]  # fmt: skip
        page.row(label, " · ".join(told), columns, INDENT)
