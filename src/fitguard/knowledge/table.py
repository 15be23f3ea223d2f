"""Reads the TOML tables: typed rows, each with its source, the table with its date."""

import tomllib
from importlib import resources
from typing import Generic, TypeVar

import msgspec

Row = TypeVar("Row", bound=msgspec.Struct)


class Table(Generic[Row]):
    """One table: its rows, the date they were collected, and where each came from."""

    def __init__(self, name: str, row_type: type[Row]) -> None:
        file = resources.files("fitguard.knowledge") / "tables" / f"{name}.toml"
        document = tomllib.loads(file.read_text(encoding="utf-8"))
        sources: dict[str, str] = document["sources"]
        self.name = name
        self.date: str = document["date"]
        self.rows: tuple[Row, ...] = tuple(
            msgspec.convert({**row, "source": sources[row["source"]]}, row_type)
            for row in document["rows"]
        )

    @property
    def reference(self) -> str:
        """How evidence cites the table."""
        return f"fitguard knowledge: {self.name}, {self.date}"
