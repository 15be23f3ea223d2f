"""What there is to know of a soak beside its results: its sessions, its deaths, how to go on."""

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise

from fitguard.probes.devices import Device
from fitguard.schema.run import Attempt, Outcome, Run
from fitguard.schema.run_command import describe_resume
from fitguard.supervise.soak_progress import SoakProgress
from fitguard.supervise.wording import describe_computation
from fitguard.words import count

WELL: tuple[Outcome, ...] = ("finished", "interrupted", "preempted", "exited", "running")
"""Ends of its process that are no result."""


def list_notes(run: Run, progress: SoakProgress | None, devices: Sequence[Device]) -> Iterator[str]:
    """One sentence or more each."""
    if not devices[0].is_gpu:
        yield "No GPU is seen here, so everything was computed on the CPU."
    if progress is not None:
        whole = sum(one.elements for one in progress.computations)
        done = sum(one.computations for one in progress.computations)
        yield (
            f"{count(done, 'computation')} and {whole:.3g} elements were checked in "
            f"{count(progress.sessions, 'session')}, in the order of seed {progress.seed}."
        )
        yield from _describe_changes(progress, done)
    for dead, following in pairwise(run.attempts):
        if dead.outcome not in WELL:
            yield _describe_death(dead, following)
    yield from (f"{alert.title}. {alert.text}" for alert in run.alerts)
    if run.state != "finished":
        yield f"To go on with it: {describe_resume(run.id, run.command)}"
    yield f"What was measured meanwhile: fitguard report {run.id}"


def describe_how(attempt: Attempt) -> str:
    """`was ended by SIGKILL`: what became of a process."""
    if attempt.outcome == "hung":
        return "did not move any more, and was stopped"
    if attempt.outcome == "lost":
        return "was cut off together with the one that guards it"
    if attempt.signal:
        return f"was ended by {attempt.signal}"
    return f"ended with code {attempt.exit_code}"


def _describe_death(dead: Attempt, following: Attempt) -> str:
    when = _show_time(dead.ended if dead.ended is not None else dead.started)
    happened = f"Process {dead.number} {describe_how(dead)} {describe_computation(dead.last)}"
    if not following.first.fit:
        after = "Process {} started then, and came to no computation"
    elif following.first.total_steps:
        after = "Process {} started then, and went on with the counts"
        if dead.steps_lost:
            repeated = count(dead.steps_lost, "computation")
            after += f"; the last {repeated} had not been written down, and came again"
    else:
        after = "Process {} started then, and began from the first computation"
    return f"On {when}: {happened}. {after.format(following.number)}."


def _describe_changes(progress: SoakProgress, done: int) -> Iterator[str]:
    for change in progress.changes:
        yield (
            f"On {_show_time(change.time)}, before session {change.session}: {change.text}. New "
            f"references were made. Of all computations, {change.computations:,} came before that, "
            f"and {done - change.computations:,} after it."
        )


def _show_time(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
