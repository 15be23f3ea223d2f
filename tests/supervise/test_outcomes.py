"""How an attempt ended, by rule."""

import signal

import pytest

from fitguard.schema.journal import Failed
from fitguard.supervise.child import ExitStatus
from fitguard.supervise.outcomes import classify_end, find_failure


def failed(kind):
    return Failed(time=1.0, attempt=1, kind=kind)


@pytest.mark.parametrize(
    ("ended", "reason", "own", "expected"),
    [
        (ExitStatus(exit_code=0), None, None, "finished"),
        (ExitStatus(exit_code=0), "preempted", None, "finished"),
        (ExitStatus(exit_code=1), None, failed("exception"), "exception"),
        (ExitStatus(exit_code=7), None, failed("system-exit"), "exited"),
        (ExitStatus(exit_code=3), None, None, "crashed"),
        (ExitStatus(exit_code=86), None, failed("out-of-memory"), "out-of-memory"),
        (ExitStatus(exit_code=86), None, failed("system-exit"), "exited"),
        (ExitStatus(exit_code=75), "preempted", None, "preempted"),
        (ExitStatus(exit_code=75), "planned", None, "planned"),
        (ExitStatus(exit_code=75), None, None, "killed"),
        (ExitStatus(exit_code=75), "followed", None, "followed"),
        (ExitStatus(signal="SIGKILL"), "followed", None, "followed"),
        (ExitStatus(exit_code=1), "followed", failed("exception"), "exception"),
        (ExitStatus(signal="SIGABRT"), "followed", None, "crashed"),
        (ExitStatus(exit_code=0), "followed", None, "finished"),
        (ExitStatus(exit_code=86), None, failed("lost-start"), "exception"),
        (ExitStatus(signal="SIGSEGV"), "planned", None, "crashed"),
        (ExitStatus(signal="SIGSEGV"), None, None, "crashed"),
        (ExitStatus(signal="SIGABRT"), None, None, "crashed"),
        (ExitStatus(signal="SIGABRT"), "hung", None, "hung"),
        (ExitStatus(signal="SIGKILL"), None, None, "killed"),
        (ExitStatus(signal="SIGTERM"), None, None, "killed"),
        (ExitStatus(signal="SIGKILL"), "preempted", None, "preempted"),
        (ExitStatus(signal="SIGKILL"), "out-of-memory", None, "out-of-memory"),
        (ExitStatus(signal="SIGINT"), "interrupted", None, "interrupted"),
        (ExitStatus(signal="SIGINT"), None, None, "interrupted"),
        (ExitStatus(exit_code=130), None, None, "interrupted"),
        (ExitStatus(), None, None, "crashed"),
    ],
)
def test_outcomes(ended, reason, own, expected):
    assert classify_end(ended, reason, own) == expected


def test_a_signal_that_we_sent_on_is_the_users_wish():
    assert classify_end(ExitStatus(signal="SIGUSR1"), None, None, [signal.SIGUSR1]) == "interrupted"
    assert classify_end(ExitStatus(signal="SIGUSR1"), None, None) == "crashed"


def test_the_failure_is_of_the_attempt():
    events = [failed("exception"), Failed(time=2.0, attempt=2, kind="out-of-memory")]
    assert find_failure(events, 1).kind == "exception"
    assert find_failure(events, 3) is None


def test_what_a_shell_tells():
    assert ExitStatus(signal="SIGSEGV").shell_code == 139
    assert ExitStatus(exit_code=7).shell_code == 7
    assert ExitStatus(signal="SIG40").shell_code == 168
