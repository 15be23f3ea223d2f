"""What the user is told of the other workers, and the other workers of this one."""

import shlex

from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.gang import Ended, GangPlan, SavedPlace
from fitguard.schema.journal import AttemptEnded
from fitguard.supervise.options import GangPlace

_NAMELESS = ("", "unknown", "none")


def describe_beginning(plan: GangPlan, number: int, start: SavedPlace | None) -> str:
    """`round 3 of gang night-1: all 2 workers go on from step 40 of fit 1.`"""
    return f"round {number} of the gang {plan.name}: all {plan.workers} workers {_go_on(start)}."


def _go_on(start: SavedPlace | None) -> str:
    if start is None:
        return "start at the beginning"
    if start.end:
        return f"go on from the end of fit {start.fit}"
    return f"go on from step {start.steps} of fit {start.fit}"


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
