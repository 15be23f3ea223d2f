"""A console page: wrapped paragraphs with hanging indents, in Text objects and never in markup."""

from rich.console import Console
from rich.text import Text

from fitguard.report.documents import Document, map_strings
from fitguard.report.redaction import cleaned

PLAIN = str.maketrans(
    {
        "·": "-", "…": "...", "–": "-", "—": "-", "×": "x", "→": "->", "≥": ">=", "≤": "<=",
        "°": " deg ", "“": '"', "”": '"', "‘": "'", "’": "'", "│": "|", "✖": "x", "▲": "!",
        "●": "i", "✔": "+", "•": "*",
    }
)  # fmt: skip
"""What an old console cannot show, in ASCII."""

LEAST_COLUMNS = 20


class Page:
    """Writes to a Console, and keeps to what it can show."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._unicode = console.encoding.lower().startswith("utf")

    def showable(self, document: Document) -> Document:
        """The document without control characters, in characters that the console can encode."""
        return map_strings(cleaned(document), lambda text, _: self.spelled(text))

    def spelled(self, text: str) -> str:
        """The text in the characters of the console."""
        if self._unicode:
            return text
        encoding = self.console.encoding
        return text.translate(PLAIN).encode(encoding, "backslashreplace").decode(encoding)

    def blank(self) -> None:
        """An empty line."""
        self.console.print()

    def put(self, *parts: str | tuple[str, str], first: str = "", rest: str | None = None) -> None:
        """A paragraph, wrapped to the console.

        Args:
            parts: Strings, or strings with a style.
            first: Stands before the first line.
            rest: Stands before the others; as many spaces as `first` if None.
        """
        first = self.spelled(first)
        rest = " " * len(first) if rest is None else self.spelled(rest)
        text = Text()
        for part in parts:
            words, style = (part, "") if isinstance(part, str) else part
            text.append(self.spelled(words), style)
        columns = max(self.console.width - len(rest), LEAST_COLUMNS)
        for number, line in enumerate(text.wrap(self.console, columns, overflow="fold")):
            line.rstrip()
            whole = Text.assemble((rest if number else first, "dim"), line)
            self.console.print(whole, soft_wrap=True)

    def row(self, label: str, value: str, columns: int, indent: str = "", style: str = "") -> None:
        """A label and what belongs to it, the values below one another."""
        label = self.spelled(label)
        if len(label) > columns:
            self.put((label, "bold"), first=indent)
            label = ""
        self.put((value or "-", style), first=f"{indent}{label:<{columns}}  ")

    def heading(self, text: str) -> None:
        """A line that names what follows."""
        self.put((text, "bold"))

    def commands(self, commands: tuple[str, ...], indent: str) -> None:
        """One command to a line, never broken by us: the terminal wraps it, a copy stays whole."""
        for command in commands:
            for number, line in enumerate(command.split("\n")):
                prompt = f"{indent}{'> ' if number else '$ '}"
                text = Text.assemble((prompt, "dim"), (self.spelled(line), "cyan"))
                self.console.print(text, soft_wrap=True)

    def code(self, text: str, indent: str) -> None:
        """Lines to write into a file, never broken by us."""
        for line in text.splitlines():
            whole = Text.assemble(indent, (self.spelled(line), "cyan"))
            self.console.print(whole, soft_wrap=True)
