"""`fitguard check`."""

from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.fits import Policy, findings_of_fits
from fitguard.cli.judging import FailOn, Ignore, Verbose, exit_code
from fitguard.cli.other_python import Python, enter_training_python
from fitguard.cli.plan import read_size
from fitguard.schema.exit_codes import ExitCode, UsageError


def check(
    script: Annotated[
        str,
        Parameter(
            name="FILE.py[:FUNCTION]",
            help="The script that trains. It is run without training. FUNCTION returns (model, x, "
            "y), or the keyword arguments of fit with the model.",
        ),
    ],
    /,
    *arguments: Annotated[
        str, Parameter(name="ARGUMENTS", help="Of the script itself, behind two hyphens.")
    ],
    batch_size: Annotated[
        int | None, Parameter(help="Of one step; default: as the script says, or 32.")
    ] = None,
    policy: Annotated[
        Policy | None, Parameter(help="The dtype policy that is set before the model is built.")
    ] = None,
    gpu: Annotated[
        str | None, Parameter(help='The card by its name, if it is not here: "RTX 3060".')
    ] = None,
    gpu_memory: Annotated[
        str | None, Parameter(help="What the card has: 8GiB, 8GB, 8192MiB, or bytes.")
    ] = None,
    free: Annotated[
        str | None, Parameter(help="What is free of it before training starts: 6.5GiB.")
    ] = None,
    budget: Annotated[
        float, Parameter(help="Seconds that reading the data of a fit may take; default: 2.")
    ] = 2.0,
    ignore: Ignore = (),
    fail_on: FailOn = None,
    verbose: Verbose = False,
    python: Python = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Would this training get to its end?

    Looks at the machine (`fitguard doctor`), and at the data (`fitguard data`) and the memory
    (`fitguard plan`) of every call of fit that the script makes. One verdict comes first, then what
    to do next. The script is run in a process of its own, without training and, after its first
    fit, without writing. Exits with 3 if training would fail.

    For example:

        fitguard check train.py
        fitguard check train.py --gpu "RTX 3060" -- --data images
        fitguard check train.py:make --format html --output check.html
    """
    from fitguard.cli.configuration import read_configuration
    from fitguard.cli.progress import waiting
    from fitguard.memory.cards import card
    from fitguard.readiness.request import FitOptions
    from fitguard.readiness.script import check_script

    enter_training_python("check", python)
    configuration = read_configuration()
    memory_bytes, free_bytes = read_size(gpu_memory, "--gpu-memory"), read_size(free, "--free")
    card(gpu, memory_bytes, free_bytes, ())  # a wrong one is told before TensorFlow is loaded
    if batch_size is not None and batch_size < 1:
        raise UsageError(f"Received --batch-size {batch_size}. Expected 1 or more")
    options = FitOptions(
        batch_size=batch_size,
        policy=policy,
        gpu=gpu,
        gpu_memory=memory_bytes,
        free=free_bytes,
        budget_seconds=budget,
        ignore=(*configuration.ignore, *ignore),
    )
    with waiting("Checking"):
        report = check_script(script, arguments, options=options)
    show(report, output, verbose=verbose)
    threshold = fail_on or configuration.fail_on
    if not report.ok and threshold != "never":
        return ExitCode.FINDINGS
    machine = report.doctor.findings if report.doctor is not None else ()
    return exit_code([*machine, *findings_of_fits(report.fits)], threshold)
