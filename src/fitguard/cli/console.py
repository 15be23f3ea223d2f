"""What every command shares: where the answer goes, and how errors are told."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from fitguard.report.render import ENDINGS, FORMATS, Format
from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.report.registry import Document


@Parameter(name="*")
@dataclass(frozen=True)
class Output:
    """Where the answer goes."""

    format: Annotated[
        Format | None, Parameter(help="Form of the answer; by default text, or as --output ends.")
    ] = None
    output: Annotated[Path | None, Parameter(help="Write the answer to this file.")] = None
    show_private: Annotated[
        bool, Parameter(negative="", help="Keep home folders, user and host names, serials.")
    ] = False

    @property
    def form(self) -> Format:
        """The format that was asked for, or that the ending of the file tells."""
        ending = self.output.suffix if self.output else ""
        return self.format or ENDINGS.get(ending, "text")


PLAIN_OUTPUT = Output()


def require_usable(output: Output, refused: Sequence[Format] = ()) -> None:
    """Make sure beforehand, where the answer takes minutes, that it can be given.

    Args:
        refused: Formats that the answer does not have.

    Raises:
        UsageError: where it cannot.
    """
    if output.form in refused:
        expected = ", ".join(name for name in FORMATS if name not in refused)
        raise UsageError(f"Received --format {output.form}. Expected one of {expected}")
    path = output.output
    if path is not None and (path.is_dir() or not os.access(path.absolute().parent, os.W_OK)):
        raise UsageError(f"Received --output {path}. Expected a file in a folder to write to")


def show(
    document: "Document", output: Output, *, verbose: bool = False, command: Sequence[str] = ()
) -> None:
    """Print the document, or write it to the file.

    Args:
        command: Of the training that it is about: secrets in it are hidden wherever they stand.
    """
    from fitguard.report.privacy.redaction import redact_here

    if not output.show_private:
        document = redact_here(document, command)
    if output.output is None and output.form == "text":
        _print_text(document, verbose)
        return
    from fitguard.report.render import render

    answer = render(document, output.form, verbose=verbose)
    if output.output is None:
        sys.stdout.write(answer)
        return
    try:
        output.output.write_text(answer, encoding="utf-8")
    except OSError as error:
        # What took long to find is not lost.
        sys.stdout.write(answer)
        raise UsageError(
            f"Received --output {output.output}: {error.strerror}. Expected a file to write"
        ) from error


def _print_text(document: "Document", verbose: bool) -> None:
    from rich.console import Console

    from fitguard.report.formats.text import print_document

    # Without a terminal rich assumes 80 columns; a pipe deserves lines that are not broken.
    width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else 100
    console = Console(width=width, highlight=False)
    # rich would end the process itself, with a code of its own.
    console.on_broken_pipe = _raise_broken_pipe  # type: ignore[method-assign]
    print_document(document, console, verbose=verbose)


def _raise_broken_pipe() -> None:
    raise BrokenPipeError


def complain(message: str) -> None:
    """Tell an error on stderr."""
    from fitguard.report.privacy.redaction import clean

    sys.stderr.write(f"fitguard: {clean(message)}\n")
