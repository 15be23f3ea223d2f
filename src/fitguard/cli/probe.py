"""`fitguard probe`."""

import functools
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.other_python import enter_training_python
from fitguard.cli.training_options import Arguments
from fitguard.schema.exit_codes import ExitCode, UsageError
from fitguard.schema.probe import Level, ProbeReport


def probe(
    *arguments: Arguments,
    level: Annotated[
        Level,
        Parameter(help="How much is tried: quick (a minute), medium (5), long (until told)."),
    ] = "quick",
    device: Annotated[
        str, Parameter(help="`all`, or numbers of GPUs as nvidia-smi gives them: 0 or 0,2.")
    ] = "all",
    only: Annotated[
        tuple[str, ...],
        Parameter(negative="", consume_multiple=True, help="Names of probes; may be several."),
    ] = (),
    minutes: Annotated[float | None, Parameter(help="When to stop; default: as --level says.")] = (
        None
    ),
    python: Annotated[
        str | None,
        Parameter(help="The Python that trains; fitguard need not be installed there."),
    ] = None,
    like: Annotated[
        str | None,
        Parameter(
            help="A script that trains: the layers that it uses are probed, on their shapes and "
            "types. Its own arguments go behind two hyphens; fitguard must be installed beside it."
        ),
    ] = None,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="Show the logs of what failed.")
    ] = False,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Does this GPU really compute?

    Runs small known computations, each in a process of its own, and compares their results: matrix
    products, convolutions, recurrent layers, XLA, copies, memory, a step of training. A crash is a
    result, with its cause and what to do. Exits with 4 when one fails. Without a GPU it tries the
    CPU.

    For example:

        fitguard probe
        fitguard probe --level medium --device 0
        fitguard probe --only matmul-float32 convolution
        fitguard probe --python .venv/bin/python --format json
        fitguard probe --like train.py --format markdown -- --data images
    """
    if minutes is not None and not 0 < minutes <= 60 * 24 * 366:
        raise UsageError(f"Received --minutes {minutes:g}. Expected a number above 0")
    if arguments and like is None:
        raise UsageError(f"Received {arguments[0]}. Expected options, or --like SCRIPT before it")
    from fitguard.cli.progress import countdown
    from fitguard.probes.probing import run_probes

    if like is not None:
        enter_training_python("probe", python)
        python = sys.executable
    with countdown("probing") as tell:
        run = run_probes if like is None else _look_like(like, arguments)
        report = run(
            level=level, device=device, only=only, minutes=minutes, python=python, tell=tell
        )
    show(report, output, verbose=verbose)
    return ExitCode.FINE if report.ok else ExitCode.GATE_FAILED


def _look_like(script: str, arguments: Sequence[str]) -> Callable[..., ProbeReport]:
    from fitguard.readiness.probing_like import probe_like

    return functools.partial(probe_like, script, arguments)
