"""Whether this process only tells that another one failed first."""

from fitguard.causes.derived.many_gpus import find_joint_training
from fitguard.causes.derived.script_error import script_error
from fitguard.schema.crash import Signal, Story

LATE = ("peer-late",)
"""Another worker did not come to a common step: it is alive and stuck, or gone."""
SILENT = ("peer-silent",)
"""Another worker stopped answering."""
OUT_OF_ORDER = ("peer-out-of-order",)
"""Another worker is at another step."""
_OF_ANY_STEP = ("receive-cancelled",)
"""A single process writes these too: other lines must show that several train together."""

_SAYS_NOT_WHY = ("collective-aborted",)
"""It stopped the run, but is no failure of its own."""
_OF_A_PEER = ("AbortedError", "CancelledError", "DeadlineExceededError", "UnavailableError")
_TOLD_BELOW = "Graph execution error"
"""TensorFlow heads an error with it; what happened stands some lines below."""


def find_fallout(story: Story) -> Signal | None:
    """The first line that tells of another worker, unless a failure of its own came before it."""
    lines = story.role("fallout")
    if find_joint_training(story) is None and all(line.name in _OF_ANY_STEP for line in lines):
        return None
    first = next(iter(lines), None)
    return None if first is None or has_failed_before(story, first) else first


def has_failed_before(story: Story, line: Signal) -> bool:
    """Whether something that ends a run came before a line."""
    before = (stop for stop in story.role("stop") if stop.order < line.order)
    if any(stop.name not in _SAYS_NOT_WHY and not _heads_a_fallout(stop) for stop in before):
        return True
    error = script_error(story)
    if error is None or error.evidence.source != line.source:
        return False
    return (error.evidence.line or 0) < (line.line or 0)


def _heads_a_fallout(stop: Signal) -> bool:
    """`UnavailableError: Graph execution error:` heads the error that the line belongs to."""
    message = stop.values.get("message", "")
    return stop.values.get("type") in _OF_A_PEER and message.startswith(_TOLD_BELOW)
