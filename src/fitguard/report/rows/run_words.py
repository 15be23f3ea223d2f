"""A guarded run in sentences: how it stands, what it survived, what was done twice."""

import shlex
from collections.abc import Sequence
from datetime import datetime
from pathlib import PurePath

from fitguard.report.blocks import Tone
from fitguard.schema.run import Attempt, LossPoint, Outcome, Place, Run, RunState
from fitguard.schema.run_command import describe_resume, is_soak
from fitguard.words import count, duration, join, percent

STATES: dict[RunState, str] = {
    "running": "Running",
    "finished": "Finished",
    "stopped": "Stopped",
    "interrupted": "Interrupted",
    "preempted": "Preempted",
    "lost": "Cut off",
}
TONES: dict[RunState, Tone] = {
    "running": "info",
    "finished": "fine",
    "stopped": "error",
    "interrupted": "warning",
    "preempted": "warning",
    "lost": "warning",
}
OUTCOMES: dict[Outcome, str] = {
    "running": "running",
    "finished": "finished",
    "out-of-memory": "out of memory",
    "exception": "raised an error",
    "crashed": "crashed",
    "killed": "killed",
    "hung": "hung",
    "planned": "restarted as planned",
    "followed": "followed another worker",
    "preempted": "preempted",
    "interrupted": "interrupted",
    "exited": "exited",
    "lost": "cut off",
}
GROUPS: dict[Outcome, str] = {
    "running": "running",
    "finished": "finished",
    "out-of-memory": "memory",
    "exception": "failed",
    "crashed": "failed",
    "killed": "failed",
    "hung": "failed",
    "exited": "failed",
    "planned": "asked",
    "followed": "asked",
    "preempted": "asked",
    "interrupted": "asked",
    "lost": "lost",
}
"""The color of each outcome: several share one."""

TOLD = "Stopped as asked"
USUAL_FOLDER = PurePath("fitguard-runs")
_CRASHES = {"memory", "failed", "lost"}
_NAMELESS = ("unknown", "none")
_GOES_ON = {"interrupted", "preempted", "lost"}


def name_state(state: RunState, command: Sequence[str]) -> str:
    """`Finished`; a soak has no end of its own, so being told to stop is no accident."""
    return TOLD if is_told_soak(state, command) else STATES[state]


def choose_tone(run: Run) -> Tone:
    """Of the state of a run."""
    if is_told_soak(run.state, run.command):
        return "error" if run.exit_code else "fine"
    return TONES[run.state]


def is_told_soak(state: RunState | Outcome, command: Sequence[str]) -> bool:
    """Whether it is a soak that ended because it was told to."""
    return is_soak(command) and state in ("preempted", "interrupted")


def verdict(run: Run) -> str:
    """`Finished after 3 attempts; 2 crashes survived; 41 of 12,000 steps done twice (0.3 %)`."""
    return "; ".join(
        part for part in (_head(run), _format_survived(run), _format_repeated_steps(run)) if part
    )


def advice(run: Run) -> str:
    """How to go on with a run that is not over; empty where it is, or where it runs."""
    if run.state not in _GOES_ON:
        return ""
    beside = PurePath(run.folder).parent
    elsewhere = "" if beside == USUAL_FOLDER else str(beside)
    return f"`{describe_resume(run.id, run.command, elsewhere=elsewhere)}` continues it."


def crashes(run: Run) -> list[Attempt]:
    """The attempts that failed, and were followed by another one."""
    return [one for one in run.attempts[:-1] if is_crash(one)]


def is_crash(attempt: Attempt) -> bool:
    """Whether it failed, in place of ending well or being asked to leave."""
    return GROUPS[attempt.outcome] in _CRASHES


def steps_kept(run: Run) -> int:
    """Steps of the optimizer that are part of the result."""
    return sum(attempt.steps_done - attempt.steps_lost for attempt in run.attempts)


def steps_twice(run: Run) -> int:
    """Steps that an attempt lost and a later one took again."""
    return sum(attempt.steps_lost for attempt in run.attempts[:-1])


def took(attempt: Attempt, run: Run) -> float:
    """Seconds of an attempt; one that has no end lasted as long as the run."""
    end = attempt.ended if attempt.ended is not None else run.started + run.seconds
    return max(end - attempt.started, 0.0)


def outcome(attempt: Attempt, run: Run | None = None) -> str:
    """`killed by SIGKILL`, `raised an error (exit code 1)`, `finished`.

    Args:
        run: Of the attempt; a soak that was told to stop has ended well.
    """
    if run is not None and is_told_soak(attempt.outcome, run.command):
        return TOLD.lower()
    told = OUTCOMES[attempt.outcome]
    if attempt.signal:
        return f"{told} by {attempt.signal}"
    if attempt.exit_code and attempt.outcome in ("exception", "exited", "crashed", "killed"):
        return f"{told} (exit code {attempt.exit_code})"
    return told


def describe_attempt(attempt: Attempt, run: Run) -> str:
    """`attempt 2: killed by SIGKILL · host-oom · 30 min · 2,461 steps · 41 lost`."""
    steps = count(attempt.steps_done, "computation" if is_soak(run.command) else "step")
    lost = f"{attempt.steps_lost:,} lost" if attempt.steps_lost else None
    seconds = duration(took(attempt, run))
    words = join([outcome(attempt, run), find_named_cause(attempt), seconds, steps, lost])
    return f"attempt {attempt.number}: {words}"


def find_named_cause(attempt: Attempt) -> str:
    """Empty where none was found: then the outcome says all that is known."""
    return "" if attempt.cause in _NAMELESS else attempt.cause


def epoch_number(point: LossPoint) -> tuple[int, int]:
    """The `fit` call and the epoch that the point belongs to, both from 1."""
    return point.place.fit, point.place.epoch + bool(point.place.step)


def command(words: tuple[str, ...]) -> str:
    """As a shell takes it."""
    return shlex.join(words)


def place(where: Place, *, several_fits: bool) -> str:
    """`epoch 3, step 120`; with the number of the `fit` call where there are several."""
    if not where.fit:
        return "before the first fit"
    told = f"epoch {where.epoch + 1:,}, step {where.step:,}"
    if not where.step:
        told = f"end of epoch {where.epoch:,}" if where.epoch else "start"
    return f"fit {where.fit}, {told}" if several_fits else told


def exactly(seconds: float) -> str:
    """`2 d 5 min`, `1 h 30 s`: every unit of it that is not zero."""
    if seconds < 1:
        return f"{seconds:g} s" if seconds else "0"
    parts, rest = [], round(seconds)
    for unit, long in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        if rest >= long:
            parts.append(f"{rest // long:,} {unit}")
            rest %= long
    return " ".join(parts)


def moment(seconds: float) -> str:
    """`2025-11-15 14:03:22 +0100`, in the time zone of this machine."""
    try:
        return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M:%S %z")
    except (OverflowError, ValueError, OSError):  # a journal may hold anything
        return "?"


def value(number: float) -> str:
    """A loss: `0.3412`, `1.2e-07`, `nan`."""
    return f"{number:.4g}"


def _head(run: Run) -> str:
    made = len(run.attempts)
    if not made:
        return f"{name_state(run.state, run.command)} before the first attempt"
    if run.state == "running":
        return f"Running: attempt {run.attempts[-1].number:,}"
    told = f"after {count(made, 'attempt')}" if made > 1 else "in the first attempt"
    last = run.attempts[-1]
    why = f": {find_named_cause(last) or outcome(last)}" if run.state == "stopped" else ""
    return f"{name_state(run.state, run.command)} {told}{why}"


def _format_survived(run: Run) -> str:
    survived = len(crashes(run))
    return f"{count(survived, 'crash', 'crashes')} survived" if survived else ""


def _format_repeated_steps(run: Run) -> str:
    kept, twice = steps_kept(run), steps_twice(run)
    noun = "computation" if is_soak(run.command) else "step"
    if not twice:
        steps = count(kept, noun) if kept else ""
        return f"none of {steps} done twice" if crashes(run) and kept else steps
    if twice > kept:
        return f"{count(twice, noun)} lost and done again, {kept:,} kept"
    return f"{twice:,} of {count(kept, noun)} done twice ({percent(twice, kept)})"
