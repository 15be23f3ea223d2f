"""What happened, and why it is the end, in one line for people."""

import signal
from collections.abc import Mapping

from fitguard.schema.journal import REPLACE_ME, NotSplit
from fitguard.schema.probe import ProbeResult
from fitguard.schema.run import Outcome, Place
from fitguard.supervise.past_attempts import PastAttempt

_HOW: dict[Outcome, str] = {
    "finished": "finished",
    "out-of-memory": "ran out of memory",
    "exception": "ended with an error",
    "crashed": "crashed",
    "killed": "was killed",
    "hung": "hung and was stopped",
    "planned": "stopped as planned",
    "followed": "ended because another worker did",
    "preempted": "stopped as asked",
    "interrupted": "was interrupted",
    "exited": "ended itself",
    "lost": "was lost when the process that guards it died",
    "running": "was lost",
}
UNGUARDED = "in training that is not guarded"
ANOTHER_FAILED_FIRST = "another worker failed first"
_NAMELESS = ("", "unknown", "none")


def describe_attempt(attempt: PastAttempt, cause: str) -> str:
    """`Attempt 2 crashed with SIGSEGV after step 140 of epoch 3 (illegal-memory-access)`."""
    how = describe_outcome(attempt.outcome, attempt.signal, attempt.exit_code)
    reason = "" if cause in _NAMELESS else f" ({cause})"
    if attempt.fallout and reason:
        reason = f" ({ANOTHER_FAILED_FIRST})"
    unseen = is_out_of_sight(attempt)
    at = UNGUARDED if unseen else describe_place(attempt.last, end=attempt.after_fit)
    if attempt.soak:
        at = describe_computation(attempt.last)
    return f"Attempt {attempt.number} {how} {at}{reason}"


def describe_outcome(outcome: Outcome, signal_name: str | None, exit_code: int | None) -> str:
    """`crashed with SIGSEGV`."""
    how = _HOW[outcome]
    if signal_name and outcome in ("crashed", "killed"):
        return f"{how} with {signal_name}"
    if exit_code is not None and outcome == "exited":
        return f"{how} with exit code {exit_code}"
    return how


def is_out_of_sight(attempt: PastAttempt) -> bool:
    """Whether nobody knows how far it got: it trained unguarded, or in a way not noticed."""
    return attempt.unguarded and not attempt.last.fit


def describe_place(place: Place, *, end: bool = False) -> str:
    """`after step 140 of epoch 3`, people count from 1; `after the end of fit 2`."""
    if not place.fit:
        return "before the first fit"
    if end:
        return f"after the end of fit {place.fit}"
    of_fit = f" of fit {place.fit}" if place.fit > 1 else ""
    if not place.step:
        moment = f"after epoch {place.epoch}" if place.epoch else "before the first step"
        return f"{moment}{of_fit}"
    return f"after step {place.step} of epoch {place.epoch + 1}{of_fit}"


def describe_computation(place: Place) -> str:
    """How far a soak was."""
    done = place.total_steps
    return f"after computation {done:,}" if done else "before the first computation"


def describe_restart(attempt: PastAttempt) -> str:
    """From where the next attempt trains; a soak writes its counts down before it computes."""
    if attempt.soak:
        return ", and goes on with its counts." if attempt.last.total_steps else "."
    if not attempt.saved.fit or not attempt.saved.total_steps:
        return ", from the beginning."
    if attempt.saved_end:
        return f", from the end of fit {attempt.saved.fit}."
    return f", from the snapshot {describe_place(attempt.saved)}."


def describe_not_split(event: NotSplit) -> str:
    """Why smaller parts of the batch are not tried; each sentence stands for itself."""
    return f"The batch does not fit, and is not split: {event.why}"


def describe_refused(actions: list[str]) -> str:
    """Which flags would let fitguard try more."""
    if not actions:
        return ""
    flags = " or ".join(f"`--allow {action}`" for action in actions)
    return f" With {flags} fitguard would try more, which changes results."


def describe_failures(failures: Mapping[str, ProbeResult], *, forbidden: bool) -> str:
    """Why no training starts where probes fail, and what to do.

    Args:
        forbidden: Whether it could go on without what failed, and may not.
    """
    sentences = [f"{label} fails the probe {one.name}." for label, one in failures.items()]
    if forbidden:
        sentences.append("To go on without it changes the last digits, which --exact-only forbids.")
    first = next(iter(failures.values()))
    causes = first.diagnosis.causes if first.diagnosis is not None else ()
    if causes and causes[0].fix.text:
        sentences.append(causes[0].fix.text)
    return " ".join(sentences)


def choose_exit_code(attempt: PastAttempt) -> int:
    """What `fitguard run` leaves with when it gives up: the child's code, as shells tell it."""
    if attempt.signal:
        try:
            return 128 + signal.Signals[attempt.signal]
        except KeyError:
            return 1
    if attempt.exit_code is None or attempt.exit_code == REPLACE_ME:
        return 1
    return 128 - attempt.exit_code if attempt.exit_code < 0 else attempt.exit_code
