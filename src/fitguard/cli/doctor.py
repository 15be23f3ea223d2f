"""`fitguard doctor`."""

import contextlib
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.combination import WhatIf, WhatIfFile, combination
from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.judging import FailOn, Ignore, Select, Verbose, exit_code


def doctor(
    *,
    python: Annotated[
        str | None, Parameter(help="The interpreter that trains; default: the active venv's.")
    ] = None,
    deep: Annotated[
        bool,
        Parameter(
            negative="", help="Import TensorFlow too, and try the GPU with the quick probes."
        ),
    ] = False,
    what_if: WhatIf = None,
    what_if_file: WhatIfFile = None,
    facts: Annotated[Path | None, Parameter(help="Judge facts saved by `fitguard facts`.")] = None,
    select: Select = (),
    ignore: Ignore = (),
    fail_on: FailOn = None,
    verbose: Verbose = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will this machine train?

    Judges driver, CUDA, cuDNN, TensorFlow, Keras, packages, container and GPU, and says what to
    change. TensorFlow is not imported unless --deep is given: then it is imported in a process of
    its own, and the quick probes of `fitguard probe` are run, which takes about a minute.

    For example:

        fitguard doctor
        fitguard doctor --python .venv/bin/python --deep
        fitguard doctor --what-if tf=2.10.1 gpu="Tesla K80"
        fitguard doctor --format markdown --output report.md
    """
    from fitguard.cli.configuration import read_configuration
    from fitguard.cli.progress import countdown
    from fitguard.probes.doctor import doctor as judge_environment

    configuration = read_configuration()
    with countdown("trying") if deep else contextlib.nullcontext(lambda *_: None) as tell:
        report = judge_environment(
            python=python,
            deep=deep,
            facts=facts,
            what_if=combination(what_if, what_if_file),
            select=(*configuration.filter_selection("environment"), *select),
            ignore=(*configuration.ignore, *ignore),
            tell=tell,
        )
    show(report, output, verbose=verbose)
    return exit_code(report.findings, fail_on or configuration.fail_on)
