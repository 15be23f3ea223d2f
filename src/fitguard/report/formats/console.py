"""A console: wrapped paragraphs with hanging indents, in Text objects and never in markup."""

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from fitguard.report.blocks import Span, Words, spans
from fitguard.words import one_line

PLAIN = str.maketrans(
    {
        "·": "-", "…": "...", "–": "-", "—": "-", "×": "x", "→": "->", "≥": ">=", "≤": "<=",
        "°": " deg ", "“": '"', "”": '"', "‘": "'", "’": "'", "│": "|", "✖": "x", "▲": "!",
        "●": "i", "✔": "+", "•": "*",
    }
)  # fmt: skip
"""What an old console cannot show, in ASCII."""

LEAST_COLUMNS = 20
TONES = {"error": "red", "warning": "yellow", "info": "blue", "fine": "green", "": ""}
STYLES = {"strong": "bold", "faint": "dim", "italic": "italic", "": ""}


class Paper:
    """Writes to a Console, and keeps to what it can show.

    Args:
        verbose: Show what is folded, and what is cut.
    """

    def __init__(self, console: Console, *, verbose: bool = False) -> None:
        self.verbose = verbose
        self._console = console
        self._unicode = console.encoding.lower().startswith("utf")

    @property
    def width(self) -> int:
        """Columns of the console."""
        return self._console.width

    def spell(self, text: str) -> str:
        """The text in the characters of the console."""
        if self._unicode:
            return text
        encoding = self._console.encoding
        return text.translate(PLAIN).encode(encoding, "backslashreplace").decode(encoding)

    def blank(self) -> None:
        """Print an empty line."""
        self._console.print()

    def put(self, words: Words, first: str = "", rest: str | None = None) -> None:
        """Print a paragraph, wrapped to the console.

        Args:
            first: Stands before the first line.
            rest: Stands before the others; as many spaces as `first` if None.
        """
        first = self.spell(first)
        rest = " " * len(first) if rest is None else self.spell(rest)
        text = Text()
        for span in spans(words):
            text.append(self.spell(span.text), _style(span))
        columns = max(self.width - len(rest), LEAST_COLUMNS)
        for number, line in enumerate(text.wrap(self._console, columns, overflow="fold")):
            line.rstrip()
            whole = Text.assemble((rest if number else first, "dim"), line)
            self._console.print(whole, soft_wrap=True)

    def put_whole(self, line: str, indent: str, style: str = "cyan") -> None:
        """Print a line that is never broken by us: the terminal wraps it, a copy stays whole."""
        text = Text.assemble((indent, "dim"), (self.spell(line), style))
        self._console.print(text, soft_wrap=True)

    def put_commands(self, commands: Iterable[str], indent: str) -> None:
        """Print commands for a shell behind its prompt."""
        for command in commands:
            for number, line in enumerate(command.split("\n")):
                self.put_whole(line, f"{indent}{'> ' if number else '$ '}")


def on_one_line(words: Words) -> tuple[Span, ...]:
    """The words without line breaks; the spaces between spans stay."""
    flat = []
    for span in spans(words):
        before = " " if span.text[:1].isspace() else ""
        behind = " " if span.text[-1:].isspace() else ""
        flat.append(Span(f"{before}{one_line(span.text)}{behind}", span.style, span.tone))
    return tuple(flat)


def _style(span: Span) -> str:
    return f"{STYLES[span.style]} {TONES[span.tone]}".strip()
