"""Who is refused, and why: what fits on no card would wait for ever."""

from collections.abc import Mapping
from typing import Protocol

from fitguard.fleet.packing import Packer
from fitguard.fleet.records import RunRecord
from fitguard.fleet.requests import Misfit
from fitguard.fleet.trainings import Training
from fitguard.words import count, size


class Known(Protocol):
    """What is known of the cards beside the packer."""

    @property
    def was_larger(self) -> int: ...


def find_other_command(training: Training, records: Mapping[str, RunRecord]) -> str:
    """Why it cannot go on with the run of its name; empty where it can, or there is none."""
    job = training.job
    wanted = (job.python, *job.command) if job.python else job.command
    for run in training.runs:
        found = records[run].command
        if found and found != wanted:
            return (
                f"the run {run} of this storage was started with `{' '.join(found)}`, and the job "
                f"says `{' '.join(wanted)}` now. Give the job another name, or move that run away"
            )
    return ""


def find_refusals(packer: Packer, cards: Known) -> dict[str, str]:
    """Why each of these will never start; not those for whom a card may come back."""
    return {
        misfit.request.name: explain_misfit(misfit)
        for misfit in packer.find_misfits()
        if not misfit.left_out and _is_hopeless(misfit, cards.was_larger)
    }


def _is_hopeless(misfit: Misfit, was_larger: int) -> bool:
    """Whether no card that is gone for now would do."""
    return not was_larger or misfit.request.memory_bytes > was_larger


def explain_misfit(misfit: Misfit) -> str:
    """What was asked for, what there is, and what to do."""
    request, largest = misfit.request, misfit.largest
    kind = f" with a name like {' or '.join(request.cards)}" if request.cards else ""
    if largest is None and request.workers == 1:
        return f"there is no card{kind}"
    if largest is None:
        return f"it wants {count(request.workers, 'card')}{kind}, and there are not so many"
    return (
        f"it needs {size(request.memory_bytes)} of a card{kind}, and the largest, {largest.name} "
        f"on {largest.host}, has {size(largest.memory_bytes)}. Without `memory:` it is planned, "
        "and may train with micro-batches"
    )
