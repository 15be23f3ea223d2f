"""`fitguard resolve`."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.combination import WhatIf, WhatIfFile, combination
from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.schema.exit_codes import ExitCode


def resolve(
    *,
    python: Annotated[
        str | None, Parameter(help="The interpreter whose version counts; default: the venv's.")
    ] = None,
    what_if: WhatIf = None,
    what_if_file: WhatIfFile = None,
    facts: Annotated[
        Path | None, Parameter(help="A machine whose facts `fitguard facts` saved.")
    ] = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Which versions work here?

    From GPU, driver, system and Python to the newest set of versions that works, with the install
    commands and the reasons against newer ones. Exits with 3 where no set works. With gpu,
    compute-capability, driver or os, --what-if describes another machine; the other keys are pins.

    For example:

        fitguard resolve
        fitguard resolve --what-if gpu="Tesla K80" os=linux-x86_64
        fitguard resolve --what-if tf=2.10
    """
    from fitguard.environment.doctor import read_facts
    from fitguard.environment.resolution import resolve as resolve_versions

    answer = resolve_versions(
        what_if=combination(what_if, what_if_file),
        python=python,
        facts=read_facts(facts) if facts else None,
    )
    show(answer, output)
    return ExitCode.FINE if answer.ok else ExitCode.FINDINGS
