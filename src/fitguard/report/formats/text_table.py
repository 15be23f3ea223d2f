"""Rows on a console: a table gives up columns before it breaks lines."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size

from fitguard.report.blocks import Row, Span, Table, Words, plain
from fitguard.report.formats.console import Paper, on_one_line
from fitguard.words import one_line

GAP = "  "
WIDEST_TEXT = 32
WIDEST_LABEL = 28
LEAST_NAME = 16


def put_pairs(rows: Sequence[Row], paper: Paper, indent: str, columns: int = 0) -> None:
    """Print labels and what belongs to them, the values below one another.

    Args:
        columns: Of the labels; at least as many as the longest has, within reason.
    """
    labels = [paper.spell(one_line(name)) for name, _ in rows]
    columns = min(max([columns, *map(len, labels)]), WIDEST_LABEL, paper.width // 3)
    for label, (_, value) in zip(labels, rows, strict=True):
        if len(label) > columns:
            paper.put(Span(label, "strong"), indent)
            label = ""
        said = on_one_line(value) if plain(value).strip() else "-"
        paper.put(said, f"{indent}{label:<{columns}}  ")


def put_table(
    table: Table, rows: Sequence[tuple[Words, ...]], paper: Paper, indent: str, columns: int = 0
) -> None:
    """Print headers and rows; sizes and shares are set to the right.

    Where the console is too narrow, columns go from the second one on: the name stays.
    """
    if table.listed:
        put_pairs([_join_row(table.headers, row) for row in rows], paper, indent, columns)
        return
    cells = [tuple(one_line(plain(cell)) for cell in row) for row in rows]
    lines = [tuple(map(paper.spell, line)) for line in (table.headers, *cells)]
    widths = [_measure(column) for column in zip(*lines, strict=True)]
    kept = _fit(widths, paper.width - len(indent))
    for number, line in enumerate(lines):
        said = [
            _pad(line[place], widths[place], paper.spell("…"), right=_is_number(place, lines))
            for place in kept
        ]
        paper.put(Span(GAP.join(said), "" if number else "faint"), indent)


def _join_row(headers: tuple[str, ...], row: tuple[Words, ...]) -> Row:
    """The first cell is the label, the others follow it."""
    label, *cells = map(plain, row)
    named = zip(headers[1:], cells, strict=True)
    said = [f"{header}: {cell}" if cell in ("yes", "no") else cell for header, cell in named]
    return label, " · ".join(part for part in said if part)


def _measure(column: tuple[str, ...]) -> int:
    return min(max(map(cell_len, column)), WIDEST_TEXT)


def _fit(widths: list[int], columns: int) -> list[int]:
    kept = list(range(len(widths)))
    while len(kept) > 2 and sum(widths[place] + len(GAP) for place in kept) - len(GAP) > columns:
        del kept[1]
    rest = sum(widths[place] + len(GAP) for place in kept[1:])
    widths[0] = min(widths[0], max(columns - rest, LEAST_NAME))
    return kept


def _is_number(place: int, lines: list[tuple[str, ...]]) -> bool:
    return place > 0 and all(not line[place] or line[place][0].isdigit() for line in lines[1:])


def _pad(text: str, width: int, more: str, *, right: bool) -> str:
    if right:
        return text.rjust(width)
    if cell_len(text) > width:
        return f"{set_cell_size(text, width - len(more))}{more}"
    return set_cell_size(text, width)
