"""What a training needs of a card, where nobody said it: `fitguard plan`, in a task of Ray."""

import os
from pathlib import Path
from typing import Any

import msgspec

from fitguard.clean_start import words_to_run
from fitguard.facts import child_process
from fitguard.fleet import calling
from fitguard.fleet.functions import CALLING
from fitguard.fleet.limiting import count_footprint
from fitguard.fleet.parcels import keeping
from fitguard.fleet.trainer import select_variables
from fitguard.schema.exit_codes import ExitCode, UsageError
from fitguard.schema.fleet import FleetJob
from fitguard.schema.plan import Plan
from fitguard.supervise.command import parse

PLAN_SECONDS = 900.0
_LONGEST = 300


class Need(msgspec.Struct, frozen=True, kw_only=True):
    """What planning found.

    Args:
        memory_bytes: That it needs on a card with its batch as it is; None where planning failed.
        micro_batch: The largest that fits the largest card for sure; None where none does.
        may_fit: The whole batch may fit that card, too.
        problem: Why planning failed.
    """

    memory_bytes: int | None = None
    micro_batch: int | None = None
    may_fit: bool = False
    problem: str = ""


def plan_need(job: FleetJob, largest_bytes: int, on_gpus: bool) -> Need:
    """Plan one training, on the processor.

    Args:
        largest_bytes: Memory of the largest card that it may use.
        on_gpus: Each process takes some for itself there, beside TensorFlow's allocator.
    """
    try:
        os.chdir(job.folder)
        command = parse(job.command)
        script = command.target
        if script == ("-m", CALLING):
            script = (str(Path(calling.__file__).with_name("__main__.py")),)
        if script[0] == "-m":
            return Need(problem="a module cannot be planned, only a script")
        words = [job.python or command.python, *words_to_run("fitguard"), "plan"]
        words += ["--format=json", "--no-advice", f"--gpu-memory={largest_bytes}"]
        words += [*script, "--", *command.arguments]
        with keeping(job.parcels) as parcels:
            variables = select_variables(os.environ) | job.environment | parcels
            ended = child_process.run(words, variables, PLAN_SECONDS)
    except (OSError, UsageError) as error:
        return Need(problem=str(error))
    if ended.timed_out:
        return Need(problem=f"planning took longer than {PLAN_SECONDS:.0f} seconds")
    if ended.exit_code not in (ExitCode.FINE, ExitCode.FINDINGS):
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        return Need(problem=(said[-1] if said else f"exit code {ended.exit_code}")[:_LONGEST])
    try:
        plan = msgspec.json.decode(ended.stdout, type=Plan)
    except msgspec.DecodeError as error:
        return Need(problem=f"what `fitguard plan` answered cannot be read: {error}")
    pool_bytes = plan.required_bytes.high
    return Need(
        memory_bytes=count_footprint(pool_bytes) if on_gpus else pool_bytes,
        micro_batch=plan.micro_batch_size,
        may_fit=plan.fits is None,
    )


def ask_need(job: FleetJob, largest_bytes: int, *, on_gpus: bool) -> Any:
    """Start planning on a node with a processor to spare; Ray's promise of a `Need`."""
    import ray

    task = ray.remote(plan_need).options(num_cpus=1, max_retries=2)
    return task.remote(job, largest_bytes, on_gpus)
