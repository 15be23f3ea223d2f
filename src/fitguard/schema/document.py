"""What commands answer: structs that show themselves."""

import importlib
from typing import Any

import msgspec


class Document(msgspec.Struct, frozen=True):
    """The answer of a command: `print` gives the text of the command, notebooks show a page.

    Private names are taken out of both, as the command does it: they are often shared.
    """

    def __str__(self) -> str:
        return str(_answers().show_text(self))

    def _repr_html_(self) -> str:
        return str(_answers().show_page(self))


def _answers() -> Any:
    # The room of reports is above this one, and needed only once somebody looks.
    return importlib.import_module("fitguard.report.answers")
