"""`fitguard facts`."""

from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show


def facts(
    *,
    python: Annotated[
        str | None, Parameter(help="The interpreter that trains; default: the active venv's.")
    ] = None,
    output: Output = PLAIN_OUTPUT,
) -> None:
    """What is true of this machine?

    Prints what the doctor judges. Saved as JSON, it can be judged anywhere.

    For example:

        fitguard facts
        fitguard facts --format json --output machine.json
        fitguard doctor --facts machine.json
    """
    from fitguard.facts.gather import gather

    show(gather(python), output)
