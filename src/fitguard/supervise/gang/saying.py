"""What the user is told of the other workers, and the other workers of this one."""

import shlex
from collections.abc import Sequence

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.gang import Ended, GangPlan, Members, Ready, SavedPlace
from fitguard.schema.journal import AttemptEnded
from fitguard.supervise.options import GangPlace
from fitguard.words import numbers

_NAMELESS = ("", "unknown", "none")


def describe_beginning(plan: GangPlan, number: int, members: Members) -> str:
    """`round 3 of gang night-1: all 2 workers go on from step 40 of fit 1.`"""
    few = len(members.workers) == 1
    who = f"all {plan.workers} workers"
    if few or len(members.workers) < plan.workers:
        who = f"{name_workers(members.workers)} of {plan.workers}"
    return f"round {number} of the gang {plan.name}: {who} {_go_on(members.start, few=few)}."


def describe_useless(ready: Sequence[Ready]) -> str:
    """Why all begin anew although some have snapshots; empty where none has."""
    without = [one.worker for one in ready if not one.saved]
    if not without or len(without) == len(ready):
        return ""
    have = "has" if len(without) == 1 else "have"
    return (
        f"{name_workers(without)} {have} no snapshots, so those of the others cannot be used: they "
        "are set aside."
    )


def describe_smaller(members: Members, gone: Sequence[str]) -> str:
    """That workers are given up; `gone`: who, and since when."""
    few = len(members.workers) == 1
    return (
        f"{name_workers(members.workers)} {'goes' if few else 'go'} on without "
        f"{'; '.join(gone)}. The results differ from those of all workers from now on. The global "
        "batch stays as it is, unless your script computes it from the number of workers."
    )


def describe_larger(members: Members, back: Sequence[int]) -> str:
    """That workers are back."""
    return (
        f"{name_workers(back)} came back in time: all {_go_on(members.start)}, which they have "
        "saved together."
    )


def describe_outside(members: Members, number: int, worker: int) -> str:
    """What a worker says that comes back too late."""
    place = members.left_at.get(worker)
    return (
        f"{name_workers(members.workers)} train without this worker, since round {number}. It can "
        f"join them only if they start again from {_name_place(place)}, and not once they have "
        "saved a later step. It waits until they have finished."
    )


def describe_outside_end(members: Sequence[int]) -> str:
    """What it says when they have."""
    return f"{name_workers(members)} finished without this worker. It has no result of its own."


def describe_unwilling(unwilling: Sequence[int]) -> str:
    """Who must have all others; empty where there is nobody."""
    if not unwilling:
        return ""
    do = "does" if len(unwilling) == 1 else "do"
    return (
        f" {name_workers(unwilling).capitalize()} {do} not go on with fewer: that takes --allow "
        "fewer-workers, and no higher --min-workers."
    )


def name_workers(workers: Sequence[int]) -> str:
    """`worker 2`, `workers 0 to 1`."""
    return f"worker{'s' if len(workers) > 1 else ''} {numbers(workers)}"


def _name_place(place: SavedPlace | None) -> str:
    if place is None:
        return "the beginning"
    return f"the end of fit {place.fit}" if place.end else f"step {place.steps} of fit {place.fit}"


def _go_on(start: SavedPlace | None, *, few: bool = False) -> str:
    if start is None:
        return f"{'starts' if few else 'start'} at the beginning"
    return f"{'goes' if few else 'go'} on from {_name_place(start)}"


def describe_end(event: AttemptEnded) -> str:
    """`was killed with SIGKILL (host-oom)`."""
    # Loaded only now: a run without a fault needs none of the policy.
    from fitguard.supervise.wording import describe_outcome

    how = describe_outcome(event.outcome, event.signal, event.exit_code)
    return how if event.cause in _NAMELESS else f"{how} ({event.cause})"


def describe_culprit(culprit: Ended | None) -> str:
    """Why this worker followed."""
    if culprit is None:
        return "All workers were asked to leave."
    error = f" ({culprit.error.rstrip('.')})" if culprit.error else ""
    return f"Worker {culprit.worker} ended first: it {culprit.text.rstrip('.')}{error}."


def describe_others(culprit: Ended | None) -> str:
    """Why a worker that has finished begins again."""
    why = describe_culprit(culprit) if culprit is not None else "Another worker has ended."
    return f"This worker has finished, but others have not. {why}"


def describe_stop(stop: Ended, folder: RunFolder) -> str:
    """Why all workers stop."""
    error = f": {stop.error.rstrip('.')}" if stop.error else ""
    return (
        f"worker {stop.worker} stopped, and so do all{error}. {stop.decision} Its output is "
        f"in {folder.output}; fitguard report {folder.id}"
    )


def describe_resume(place: GangPlace, command: tuple[str, ...]) -> str:
    """What to type to go on with a gang."""
    words = ["fitguard", "run", "--workers", str(place.workers)]
    if place.headed:
        words += [f"--resume={place.name}"]
    else:
        words += ["--gang", place.name, "--worker", str(place.worker), "--resume=auto"]
    return " ".join([*map(shlex.quote, words), *map(shlex.quote, command)])
