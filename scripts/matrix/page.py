"""The table of docs/versions.md: one row for each environment and Keras, each with its date."""

import datetime
from dataclasses import dataclass
from pathlib import Path

from pairs import TREE, Pair
from suite import PARTS

PAGE = TREE / "docs/versions.md"
BEGIN, END = "<!-- matrix -->", "<!-- end of matrix -->"
HEAD = ["Python", "TensorFlow", "Keras", "installs", *PARTS, "date"]


@dataclass(frozen=True)
class Row:
    """What was found out about a pair with one Keras.

    Args:
        not_installed: Why; empty where it was installed.
        failures: Each part of the suite, with why it failed; empty where it was not run.
    """

    pair: Pair
    package: str
    not_installed: str = ""
    failures: dict[str, str] | None = None

    @property
    def is_green(self) -> bool:
        return not self.not_installed and not any((self.failures or {}).values())

    def __str__(self) -> str:
        today = datetime.date.today().isoformat()
        parts = [_cell(self.failures[part]) if self.failures else "not run" for part in PARTS]
        return _line([*key_of(self.pair, self.package), _cell(self.not_installed), *parts, today])


def key_of(pair: Pair, package: str) -> list[str]:
    """The cells that tell a row from others."""
    version = pair.tf_keras if package == "tf_keras" else pair.keras
    return [pair.python, pair.tensorflow, f"{package} {version}"]


def write_row(row: Row, pairs: list[Pair], page: Path = PAGE) -> None:
    """Put a row into the page, in the order of the pairs; the others stay as they are."""
    text = page.read_text("utf-8")
    before, _, rest = text.partition(BEGIN)
    table, _, after = rest.partition(END)
    lines = {_key(line): line for line in table.splitlines() if line.startswith("| ")}
    lines[tuple(key_of(row.pair, row.package))] = str(row)
    keys = [tuple(key_of(pair, package)) for pair in pairs for package in pair.packages]
    rows = [lines[key] for key in keys if key in lines]
    table = "\n".join([_line(HEAD), _line(["---"] * len(HEAD)), *rows])
    page.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", "utf-8")


def has_row(pair: Pair, package: str, page: Path = PAGE) -> bool:
    """Whether the page knows this pair from another run."""
    begin = _line(key_of(pair, package)).removesuffix("|")
    return f"\n{begin}" in page.read_text("utf-8")


def _key(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.split("|")[1:4])


def _cell(reason: str) -> str:
    return f"**red**: {_escaped(reason)}" if reason else "green"


def _escaped(text: str) -> str:
    """As Markdown shows it, in one cell."""
    for character in "\\`*_<[|":
        text = text.replace(character, f"\\{character}")
    return text


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
