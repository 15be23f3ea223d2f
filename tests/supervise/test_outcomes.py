"""How an attempt ended, by rule."""

import signal

import pytest

from fitguard.schema.journal import Failed
from fitguard.supervise.child import Ended
from fitguard.supervise.outcomes import failure, outcome


def failed(kind):
    return Failed(time=1.0, attempt=1, kind=kind)


@pytest.mark.parametrize(
    ("ended", "reason", "own", "expected"),
    [
        (Ended(exit_code=0), None, None, "finished"),
        (Ended(exit_code=0), "preempted", None, "finished"),
        (Ended(exit_code=1), None, failed("exception"), "exception"),
        (Ended(exit_code=7), None, failed("system-exit"), "exited"),
        (Ended(exit_code=3), None, None, "crashed"),
        (Ended(exit_code=86), None, failed("out-of-memory"), "out-of-memory"),
        (Ended(exit_code=86), None, failed("system-exit"), "exited"),
        (Ended(exit_code=75), "preempted", None, "preempted"),
        (Ended(exit_code=75), "planned", None, "planned"),
        (Ended(exit_code=75), None, None, "killed"),
        (Ended(signal="SIGSEGV"), "planned", None, "crashed"),
        (Ended(signal="SIGSEGV"), None, None, "crashed"),
        (Ended(signal="SIGABRT"), None, None, "crashed"),
        (Ended(signal="SIGABRT"), "hung", None, "hung"),
        (Ended(signal="SIGKILL"), None, None, "killed"),
        (Ended(signal="SIGTERM"), None, None, "killed"),
        (Ended(signal="SIGKILL"), "preempted", None, "preempted"),
        (Ended(signal="SIGKILL"), "out-of-memory", None, "out-of-memory"),
        (Ended(signal="SIGINT"), "interrupted", None, "interrupted"),
        (Ended(signal="SIGINT"), None, None, "interrupted"),
        (Ended(exit_code=130), None, None, "interrupted"),
        (Ended(), None, None, "crashed"),
    ],
)
def test_outcomes(ended, reason, own, expected):
    assert outcome(ended, reason, own) == expected


def test_a_signal_that_we_sent_on_is_the_users_wish():
    assert outcome(Ended(signal="SIGUSR1"), None, None, [signal.SIGUSR1]) == "interrupted"
    assert outcome(Ended(signal="SIGUSR1"), None, None) == "crashed"


def test_the_failure_is_of_the_attempt():
    events = [failed("exception"), Failed(time=2.0, attempt=2, kind="out-of-memory")]
    assert failure(events, 1).kind == "exception"
    assert failure(events, 3) is None


def test_what_a_shell_tells():
    assert Ended(signal="SIGSEGV").shell_code == 139
    assert Ended(exit_code=7).shell_code == 7
    assert Ended(signal="SIG40").shell_code == 168
