"""A table on a console: it gives up columns before it breaks lines."""

from rich.cells import cell_len, set_cell_size

from fitguard.report.sections import Section
from fitguard.report.text_page import Page

GAP = "  "
WIDEST_TEXT = 32
LEAST_NAME = 16


def print_table(section: Section, page: Page) -> None:
    """The title, the headers and the rows; sizes and shares are set to the right.

    Where the console is too narrow, columns go from the second one on: the name stays.
    """
    lines = [tuple(map(page.spelled, line)) for line in (section.headers, *section.rows)]
    widths = [_width(column) for column in zip(*lines, strict=True)]
    kept = _fitting(widths, page.console.width)
    page.heading(section.title)
    for number, line in enumerate(lines):
        cells = [_cell(line[place], widths[place], _to_the_right(place, lines)) for place in kept]
        page.put((GAP.join(cells), "" if number else "dim"), first=GAP)


def _width(column: tuple[str, ...]) -> int:
    return min(max(map(cell_len, column)), WIDEST_TEXT)


def _fitting(widths: list[int], columns: int) -> list[int]:
    kept = list(range(len(widths)))
    while len(kept) > 2 and sum(widths[place] + len(GAP) for place in kept) > columns:
        del kept[1]
    rest = sum(widths[place] + len(GAP) for place in kept[1:]) + len(GAP)
    widths[0] = min(widths[0], max(columns - rest, LEAST_NAME))
    return kept


def _to_the_right(place: int, lines: list[tuple[str, ...]]) -> bool:
    """Whether what stands in the column are numbers."""
    return place > 0 and all(not line[place] or line[place][0].isdigit() for line in lines[1:])


def _cell(text: str, width: int, to_the_right: bool) -> str:
    if to_the_right:
        return text.rjust(width)
    return text if cell_len(text) == width else set_cell_size(text, width)
