"""A bar on a console: a letter for each part, so that no color is needed."""

from fitguard.report.blocks import Bar, Part, Span, Tone
from fitguard.report.formats.console import Paper

WIDEST = 96
LEGEND_COLUMNS = 38
TONES: dict[str, Tone] = {
    "weights": "info",
    "activations": "warning",
    "workspace": "error",
    "input": "fine",
}


def put_bar(bar: Bar, paper: Paper, indent: str) -> None:
    """Print the title, the bar, and what each letter stands for."""
    paper.put(Span(bar.title, "strong"), indent)
    columns = min(paper.width - len(indent), WIDEST) - 3
    paper.put(("[", *_draw(bar, columns), "]"), indent)
    _put_legend(bar, paper, indent)
    if bar.missing:
        missing = f"The card ends at the |: {bar.missing} are missing."
        paper.put(Span(missing, tone="error"), indent)


def _draw(bar: Bar, columns: int) -> list[Span]:
    """The letters; both ends of a part are rounded, so that none drifts."""
    drawn: list[Span] = []
    end = round((bar.limit or 0) * columns / 100)
    for part in bar.parts:
        start = round(part.left * columns / 100)
        stop = round((part.left + part.width) * columns / 100)
        letters = part.letter * (stop - start)
        if bar.limit is not None and start <= end < stop:
            drawn += [_color(part, letters[: end - start]), Span("|", "strong", "error")]
            letters = letters[end - start :]
        drawn.append(_color(part, letters))
    return drawn


def _color(part: Part, letters: str) -> Span:
    return Span(letters, tone=TONES.get(part.slug, ""))


def _put_legend(bar: Bar, paper: Paper, indent: str) -> None:
    beside = max((paper.width - len(indent)) // LEGEND_COLUMNS, 1)
    rows = -(-len(bar.parts) // beside)
    for row in range(rows):
        said: list[Span] = []
        for part in bar.parts[row::rows]:
            said += [_color(part, part.letter), Span(_describe(part))]
        paper.put(tuple(said), indent)


def _describe(part: Part) -> str:
    share = part.share.replace("less than", "<")
    said = f" {part.label:<15} {part.size:>10} {share:>8}"
    return f"{said:<{LEGEND_COLUMNS - 1}}"
