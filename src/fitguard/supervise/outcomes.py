"""How an attempt ended, by rule: from its exit, its own words, and what was asked of it."""

import signal
from collections.abc import Iterable

from fitguard.schema.exit_codes import INTERRUPTED
from fitguard.schema.journal import (
    LEFT_AS_ASKED,
    REPLACE_ME,
    SYSTEM_EXIT,
    AnyEvent,
    Failed,
    FailureKind,
)
from fitguard.schema.run import Outcome
from fitguard.supervise.child import ExitStatus
from fitguard.supervise.departure import Reason

_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGXCPU")
_CALLED_AWAY = ("preempted", "interrupted")
_OF_FAILURE: dict[FailureKind, Outcome] = {
    "out-of-memory": "out-of-memory",
    "exception": "exception",
    SYSTEM_EXIT: "exited",
}
_OF_CODE: dict[int, Outcome] = {
    REPLACE_ME: "out-of-memory",
    LEFT_AS_ASKED: "killed",  # by somebody who asked it directly
}


def classify_end(
    status: ExitStatus,
    reason: Reason | None,
    failed: Failed | None,
    forwarded: Iterable[int] = (),
    *,
    told_to_end: bool = False,
) -> Outcome:
    """How it ended.

    Args:
        reason: Why it was made to leave, if it was.
        failed: What the child itself wrote of its end.
        forwarded: Signals that were sent on to it.
        told_to_end: Where it was made to leave: it was told before it came to its own end. A
            handler of the script's own may then exit with 0, and nothing is finished.
    """
    if status.exit_code == 0 and not (told_to_end and reason in _CALLED_AWAY):
        return "finished"
    if reason == "planned":
        return "planned" if status.exit_code == LEFT_AS_ASKED else _classify_own_end(status, failed)
    if reason == "followed":
        by_us = status.exit_code == LEFT_AS_ASKED or status.signal == "SIGKILL"
        return reason if by_us else _classify_own_end(status, failed)
    if reason is not None:
        return reason
    if status.signal in {signal.Signals(number).name for number in forwarded}:
        return "interrupted"
    return _classify_own_end(status, failed)


def _classify_own_end(status: ExitStatus, failed: Failed | None) -> Outcome:
    if status.signal == "SIGINT" or (status.exit_code == INTERRUPTED and failed is None):
        return "interrupted"  # only people send that
    if status.signal is not None:
        return "killed" if status.signal in _FROM_OUTSIDE else "crashed"
    if failed is not None:
        return _OF_FAILURE.get(failed.kind, "exception")
    # Where nobody called sys.exit, a library ended the process behind Python's back.
    return _OF_CODE.get(status.exit_code or 0, "crashed")


def find_failure(events: Iterable[AnyEvent], attempt: int) -> Failed | None:
    """The last thing that the child wrote of its own end."""
    found = [event for event in events if isinstance(event, Failed) and event.attempt == attempt]
    return found[-1] if found else None
