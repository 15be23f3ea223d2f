"""`fitguard check`."""

import sys
import time
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.fits import findings_of_fits
from fitguard.cli.judging import FailOn, Ignore, Verbose, exit_code
from fitguard.cli.other_python import Python, enter_training_python
from fitguard.cli.training_options import (
    Arguments,
    BatchSize,
    FreeMemory,
    GpuMemory,
    GpuName,
    PolicyName,
    Script,
    is_piped,
    read_size,
)
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import ExitCode, UsageError


def check(
    script: Script,
    /,
    *arguments: Arguments,
    batch_size: BatchSize = None,
    policy: PolicyName = None,
    gpu: GpuName = None,
    gpu_memory: GpuMemory = None,
    free: FreeMemory = None,
    budget: Annotated[
        float, Parameter(help="Seconds that reading the data of a fit may take; default: 2.")
    ] = 2.0,
    probe: Annotated[
        bool,
        Parameter(negative="", help="Try the GPU too, with the quick probes: a minute more."),
    ] = False,
    limit: Annotated[
        float | None,
        Parameter(
            help="Seconds after which the script is left, with what was found so far; default: "
            "none, but 120 for a process of a cluster (TF_CONFIG)."
        ),
    ] = None,
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
    fit, without writing. Exits with 3 if training would fail, and with 2 if no call of fit was
    reached. A script that asks with input() is answered from standard input.

    For example:

        fitguard check train.py
        fitguard check train.py --gpu "RTX 3060" -- --data images
        fitguard check train.py:make --format html --output check.html
        fitguard check train.py < answers.txt
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
    if limit is not None and limit <= 0:
        raise UsageError(f"Received --limit {limit:g}. Expected seconds, more than 0")
    options = FitOptions(
        batch_size=batch_size,
        policy=policy,
        gpu=gpu,
        gpu_memory=memory_bytes,
        free=free_bytes,
        budget_seconds=budget,
        ignore=(*configuration.ignore, *ignore),
    )
    began = time.monotonic()
    machine = _try_machine(options.ignore) if probe else None
    machine_seconds = time.monotonic() - began
    with waiting("Checking"):
        report = check_script(
            script,
            arguments,
            options=options,
            limit_seconds=limit,
            with_stdin=is_piped(),
            machine=machine,
            machine_seconds=machine_seconds,
        )
    show(report, output, verbose=verbose)
    threshold = fail_on or configuration.fail_on
    if not report.ok and threshold != "never":
        return ExitCode.FINDINGS
    judged = report.doctor.findings if report.doctor is not None else ()
    code = exit_code([*judged, *findings_of_fits(report.fits)], threshold)
    unanswered = not report.fits and threshold != "never"
    return code or (ExitCode.WRONG_USAGE if unanswered else ExitCode.FINE)


def _try_machine(ignore: tuple[str, ...]) -> DoctorReport:
    from fitguard.cli.progress import countdown
    from fitguard.probes.doctor import doctor

    with countdown("trying") as tell:
        return doctor(python=sys.executable, deep=True, ignore=ignore, tell=tell)
