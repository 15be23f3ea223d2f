"""What every command shares: where the answer goes, and how errors are told."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from fitguard.schema.exit_codes import UsageError

if TYPE_CHECKING:
    from fitguard.report.documents import Document

Format = Literal["text", "json", "markdown", "html", "sarif"]


@Parameter(name="*")
@dataclass(frozen=True)
class Output:
    """Where the answer goes."""

    format: Annotated[Format, Parameter(help="Form of the answer.")] = "text"
    output: Annotated[Path | None, Parameter(help="Write the answer to this file.")] = None
    show_private: Annotated[
        bool, Parameter(negative="", help="Keep home folders, user and host names, serials.")
    ] = False
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="List what could not be checked, and why.")
    ] = False


PLAIN_OUTPUT = Output()


def show(document: "Document", output: Output) -> None:
    """Print the document, or write it to the file."""
    from fitguard.report.redaction import redacted

    if not output.show_private:
        document = redacted(document)
    if output.output is None and output.format == "text":
        _print_text(document, output.verbose)
        return
    from fitguard.report.render import render

    answer = render(document, output.format, verbose=output.verbose)
    if output.output is None:
        sys.stdout.write(answer)
        return
    try:
        output.output.write_text(answer, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"Received --output {output.output}: {error.strerror}. Expected a file to write"
        ) from error


def _print_text(document: "Document", verbose: bool) -> None:
    from rich.console import Console

    from fitguard.report.text import print_document

    # Without a terminal rich assumes 80 columns; a pipe deserves lines that are not broken.
    width = None if sys.stdout.isatty() else 100
    print_document(document, Console(width=width, highlight=False), verbose=verbose)


def complain(message: str) -> None:
    """Tell an error on stderr."""
    from fitguard.report.redaction import clean

    sys.stderr.write(f"fitguard: {clean(message)}\n")
