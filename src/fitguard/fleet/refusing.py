"""Who is refused, and why: what fits on no card would wait for ever."""

from collections.abc import Container, Mapping
from typing import Protocol

from fitguard.fleet.packing import Packer
from fitguard.fleet.records import RunRecord
from fitguard.fleet.requests import CardId, Misfit
from fitguard.fleet.trainings import Training
from fitguard.words import count, size


class Known(Protocol):
    """What is known of the cards beside the packer."""

    @property
    def was_larger(self) -> int: ...

    def explain_given_up(self, key: CardId) -> str: ...


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


def find_refusals(packer: Packer, cards: Known, planned: Container[str] = ()) -> dict[str, str]:
    """Why each of these will never start; not those for whom a card may come back.

    Args:
        planned: Names of those whose memory nobody told.
    """
    refusals = {}
    for misfit in packer.find_misfits():
        given_up = [cards.explain_given_up(key) for key in misfit.left_out]
        if all(given_up) and _is_hopeless(misfit, cards.was_larger):
            name = misfit.request.name
            why = explain_misfit(misfit, is_planned=name in planned)
            refusals[name] = "; ".join((why, *given_up))
    return refusals


def _is_hopeless(misfit: Misfit, was_larger: int) -> bool:
    """Whether no card that is gone for now would do."""
    return not was_larger or misfit.request.memory_bytes > was_larger


def explain_misfit(misfit: Misfit, *, is_planned: bool) -> str:
    """What was asked for, what there is, and what to do."""
    request, largest = misfit.request, misfit.largest
    kind = f" with a name like {' or '.join(request.cards)}" if request.cards else ""
    if largest is None and request.workers == 1:
        return f"there is no card{kind}"
    if largest is None:
        return f"it wants {count(request.workers, 'card')}{kind}, and there are not so many"
    advice = (
        "It was planned, and no micro-batch was found with which it fits: use a smaller model, "
        "smaller inputs or a larger card"
        if is_planned
        else "Without `memory:` it is planned, and may train with micro-batches"
    )
    return (
        f"it needs {size(request.memory_bytes)} of a card{kind}, and the largest, {largest.name} "
        f"on {largest.host}, has {size(largest.memory_bytes)}. {advice}"
    )
