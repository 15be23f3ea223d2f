"""`fitguard resolve`."""

from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.schema.exit_codes import ExitCode


def resolve(
    *,
    python: Annotated[
        str | None, Parameter(help="The interpreter whose version counts; default: the venv's.")
    ] = None,
    what_if: Annotated[
        tuple[str, ...],
        Parameter(
            negative="",
            consume_multiple=True,
            help="Another machine (gpu, compute-capability, driver, os, python) or pins (tf, cuda, "
            "cudnn, keras, numpy, protobuf): KEY=VALUE, one or more.",
        ),
    ] = (),
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Which versions work here?

    From GPU, driver, system and Python to the newest set of versions that works, with the install
    commands and the reasons against newer ones. Exits with 3 where no set works.

    For example:

        fitguard resolve
        fitguard resolve --what-if gpu="Tesla K80" --what-if os=linux-x86_64
        fitguard resolve --what-if tf=2.10
    """
    from fitguard.environment.resolution import resolve as resolve_versions
    from fitguard.environment.supposition import parse_arguments

    answer = resolve_versions(what_if=parse_arguments(what_if), python=python)
    show(answer, output)
    return ExitCode.FINE if answer.ok else ExitCode.FINDINGS
