"""Evidence and fixes on a console, as every report shows them."""

from fitguard.report.summary import source
from fitguard.report.text_page import Page
from fitguard.report.words import one_line
from fitguard.schema.finding import Evidence, Fix

QUOTE = "    │ "
EVIDENCE_LINES = 8
"""More of one quotation would push the fix off the screen."""


def print_evidence(evidence: Evidence, page: Page, *, verbose: bool) -> None:
    """The quotation, with where it was found behind it or below it."""
    quoted = evidence.text.rstrip("\n").split("\n")
    shown = quoted if verbose else quoted[:EVIDENCE_LINES]
    text = "\n".join(shown)
    if left_out := len(quoted) - len(shown):
        text += f"\n… {left_out} more lines (--verbose shows them)"
    origin = one_line(source(evidence))
    if not origin:
        page.put((text, "dim"), first=QUOTE, rest=QUOTE)
        return
    if len(f"{QUOTE}{shown[-1]} — {origin}") <= page.console.width:
        page.put((text, "dim"), (f" — {origin}", "dim italic"), first=QUOTE, rest=QUOTE)
        return
    # A source that does not fit behind its quotation stands below it.
    page.put((text, "dim"), first=QUOTE, rest=QUOTE)
    page.put((origin, "dim italic"), first=f"{QUOTE}  ", rest=f"{QUOTE}  ")


def print_fix(fix: Fix, page: Page) -> None:
    """The words, then the commands."""
    if fix.text:
        page.put(("fix: ", "green"), fix.text, first="    ", rest="         ")
    page.commands(fix.commands, indent="      ")
