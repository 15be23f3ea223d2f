"""Which row of the policy holds for an attempt that ended."""

from fitguard.knowledge.policy import Policy, PolicyRow
from fitguard.supervise.past_attempts import PastAttempt

_MEMORY = ("gpu-oom", "gpu-memory-taken", "gpu-fragmentation", "gpu-memory-leak", "host-oom")


def find_row(end: PastAttempt, policy: Policy) -> PolicyRow:
    """The row of the cause that was found, where it can be trusted.

    A script that calls `sys.exit` has its own reasons. The child saw itself run out of memory: then
    no other kind of cause counts; and before its first step nothing can have fallen into pieces: it
    is too large. A faulty installation shows before the first step. And a cause that is no more
    than a guess is no reason to give up at once.
    """
    if end.outcome == "exited":
        return policy.row("unknown", end.outcome)
    if end.outcome == "out-of-memory" and end.cause not in _MEMORY:
        return policy.row("gpu-oom", end.outcome)
    if end.cause == "gpu-fragmentation" and end.steps_done == 0:
        return policy.row("gpu-oom", end.outcome)
    row = policy.row(end.cause, end.outcome, fallout=end.fallout)
    too_late = row.only_at_start and end.steps_done > 0
    guessed = not row.tries and end.confidence == "low"
    return policy.row("unknown", end.outcome) if too_late or guessed else row
