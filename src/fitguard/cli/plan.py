"""`fitguard plan`."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from fitguard.cli.console import PLAIN_OUTPUT, Output, show
from fitguard.cli.fits import Fit, here_again, look_at_all_fits, read_one_fit, require_number
from fitguard.cli.other_python import Python, enter_training_python
from fitguard.cli.training_options import (
    Arguments,
    BatchSize,
    FreeMemory,
    GpuMemory,
    GpuName,
    Policy,
    PolicyName,
    Script,
    read_size,
)
from fitguard.cli.whole_numbers import WHOLE
from fitguard.schema.exit_codes import ExitCode

if TYPE_CHECKING:
    from fitguard.memory.fit_call import FitCall
    from fitguard.memory.measuring.request import Script as MeasuredScript
    from fitguard.schema.plan import Plan

Compiled = Literal["auto", "true", "false"]


def plan(
    script: Script,
    /,
    *arguments: Arguments,
    fit: Fit = 1,
    batch_size: BatchSize = None,
    optimizer: Annotated[
        str | None, Parameter(help="Instead of the model's own, or where it has none: adam.")
    ] = None,
    loss: Annotated[
        str | None, Parameter(help="Instead of the model's own, or where it has none: mse.")
    ] = None,
    policy: PolicyName = None,
    jit_compile: Annotated[
        Compiled, Parameter(help="Whether XLA compiles the step; default: as compile was told.")
    ] = "auto",
    gpu: GpuName = None,
    gpu_memory: GpuMemory = None,
    free: FreeMemory = None,
    replicas: Annotated[
        int | None, WHOLE, Parameter(help="Over how many GPUs a strategy spreads the batch.")
    ] = None,
    measure: Annotated[
        bool, Parameter(negative="", help="Run it on the GPU here, in child processes.")
    ] = False,
    no_advice: Annotated[
        bool, Parameter(negative="", help="Do not work out what would help.")
    ] = False,
    verbose: Annotated[
        bool, Parameter(alias="-v", negative="", help="All layers, and the reasons for the ranges.")
    ] = False,
    python: Python = None,
    output: Output = PLAIN_OUTPUT,
) -> int:
    """Will it fit, and which batch should I use?

    Predicts the GPU memory of one training step on the CPU, without running it; finds the largest
    batch that fits a card, and says what to do where it does not. Exits with 3 where the step does
    not fit the given card.

    For example:

        fitguard plan train.py:make --batch-size 64 --gpu "RTX 3060"
        fitguard plan train.py --gpu-memory 8GiB --free 6.5GiB -- --data images
        fitguard plan train.py --fit all
        fitguard plan train.py:make --policy mixed_float16 --format html --output plan.html
    """
    from fitguard.cli.progress import waiting
    from fitguard.memory.visible_gpus import hide_gpus

    enter_training_python("plan", python)
    number = require_number(fit)
    if measure:
        _require_gpu()
    memory_bytes, free_bytes = read_size(gpu_memory, "--gpu-memory"), read_size(free, "--free")
    hide_gpus(os.environ)  # before TensorFlow is imported: planning needs no GPU, and takes none
    from fitguard.memory.fit_call import select_plan_arguments
    from fitguard.memory.planning import plan as plan_step

    options = {"batch_size": batch_size, "optimizer": optimizer, "loss": loss}
    given = {name: value for name, value in options.items() if value is not None}
    if jit_compile != "auto":
        given["jit_compile"] = jit_compile == "true"

    def plan_call(call: "FitCall") -> "Plan":
        return plan_step(
            **select_plan_arguments(call) | given,
            gpu=gpu,
            gpu_memory=memory_bytes,
            free=free_bytes,
            replicas=replicas,
            measure=measure
            and _build_measured_script(script, call.number, policy, arguments, options),
            advice=not no_advice,
        )

    doing = "Planning, and measuring on the GPU" if measure else "Planning"
    if number is None:
        with waiting(doing):
            report = look_at_all_fits(
                "plan", script, arguments, policy, lambda call: {"plan": plan_call(call)}
            )
        show(report, output, verbose=verbose)
        return ExitCode.FINE if report.ok else ExitCode.FINDINGS
    with here_again():
        call = read_one_fit("plan", script, arguments, number, policy)
        with waiting(doing):
            answer = plan_call(call)
    show(answer, output, verbose=verbose)
    return ExitCode.FINDINGS if answer.card and answer.fits is False else ExitCode.FINE


def _require_gpu() -> None:
    """Told before the script is run, which may take long."""
    from fitguard.facts import nvml
    from fitguard.memory.measuring.this_gpu import this_gpu

    this_gpu(nvml.read().gpus or (), os.environ)


def _build_measured_script(
    script: str,
    fit: int,
    policy: Policy | None,
    arguments: tuple[str, ...],
    options: Mapping[str, str | int | None],
) -> "MeasuredScript":
    """How a child process makes the same step."""
    from fitguard.memory.measuring.request import Script as MeasuredScript

    return MeasuredScript(
        module="fitguard.cli.measured_step",
        reference=script,
        fit=fit,
        policy=policy,
        arguments=arguments,
        options={name: value for name, value in options.items() if value is not None},
    )
