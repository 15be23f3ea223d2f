"""The bar of a plan on a console: a letter for each category, so that no colour is needed."""

from fitguard.report.plan_bar import LETTERS, Bar, Segment, bar
from fitguard.report.text_page import Page
from fitguard.report.words import size
from fitguard.schema.plan import Plan

WIDEST = 96
LEGEND_COLUMNS = 38
STYLES = {
    "others": "dim",
    "context": "bright_black",
    "weights": "blue",
    "optimizer": "magenta",
    "gradients": "cyan",
    "activations": "yellow",
    "workspace": "red",
    "input": "green",
    "slack": "bright_black",
    "rest": "dim",
    "free": "dim",
}


def print_bar(plan: Plan, page: Page) -> None:
    """The title, the bar, and what each letter stands for."""
    drawn = bar(plan)
    page.heading(drawn.title)
    page.put("[", *_cells(drawn, min(page.console.width, WIDEST) - 3), "]")
    _print_legend(drawn, page)
    if drawn.missing_bytes:
        missing = f"The card ends at the |: {size(drawn.missing_bytes)} are missing."
        page.put((missing, "red"))


def _cells(drawn: Bar, columns: int) -> list[tuple[str, str]]:
    """The letters with their styles; both ends of a segment are rounded, so that none drifts."""
    parts: list[tuple[str, str]] = []
    end = round((drawn.limit or 0) * columns / 100)
    for segment in drawn.segments:
        start = round(segment.left * columns / 100)
        stop = round((segment.left + segment.width) * columns / 100)
        letters, style = LETTERS[segment.slug] * (stop - start), STYLES[segment.slug]
        if drawn.limit is not None and start <= end < stop:
            parts += [(letters[: end - start], style), ("|", "bold red")]
            letters = letters[end - start :]
        parts.append((letters, style))
    return parts


def _print_legend(drawn: Bar, page: Page) -> None:
    beside = max(page.console.width // LEGEND_COLUMNS, 1)
    rows = -(-len(drawn.segments) // beside)
    for row in range(rows):
        parts: list[tuple[str, str]] = []
        for segment in drawn.segments[row::rows]:
            parts += [(LETTERS[segment.slug], STYLES[segment.slug]), (_told(segment), "")]
        page.put(*parts)


def _told(segment: Segment) -> str:
    share = segment.share.replace("less than", "<")
    told = f" {segment.label:<15} {size(segment.bytes):>10} {share:>8}"
    return f"{told:<{LEGEND_COLUMNS - 1}}"
