"""SIGTERM outside of `fit`: it ends at once, what is said is true, nothing counts as done."""

import os
import signal

import pytest
from programs import is_alive, wait_for
from supervise.parents import UNTIL_TOLD, Parent

LONG_SECONDS = 3000
"""More than any test has: whoever waits for the grace does not come back in time."""
SLEEPS = """
import time
try:
    print("begun", flush=True)
    time.sleep(1000)
finally:
    print("finally", flush=True)
"""
SLEEPING = ("import time", "print('begun', flush=True)", "time.sleep(1000)")
OWN_HANDLER = """
import signal, sys, time
def leave(*_):
    print("saved by myself", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
print("begun", flush=True)
"""


def terminate(parent, number=signal.SIGTERM):
    parent.until("begun")
    parent.process.send_signal(number)
    return parent.ended()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_outside_of_fit_the_script_ends_at_once_and_finally_blocks_run(tmp_path, number):
    parent = Parent(tmp_path, SLEEPS, grace_seconds=LONG_SECONDS)
    assert terminate(parent, number) == 75
    assert parent.out == "begun\nfinally\n"
    assert "takes a snapshot" not in parent.err
    assert "no fit is running, so no snapshot is taken" in parent.err
    run = parent.run()
    assert run["state"] == "preempted"
    assert run["attempts"][0]["exit_code"] == 75


def test_a_signal_to_the_whole_group_does_not_cut_finally_blocks_short(tmp_path):
    text = SLEEPS.replace("finally:\n", "finally:\n    time.sleep(0.8)\n")
    parent = Parent(tmp_path, text, grace_seconds=LONG_SECONDS)
    parent.until("begun")
    os.killpg(parent.process.pid, signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.out == "begun\nfinally\n"
    assert parent.run()["attempts"][0]["exit_code"] == 75


def test_a_handler_that_exits_with_0_has_not_finished_the_run(tmp_path):
    parent = Parent(tmp_path, OWN_HANDLER + "time.sleep(1000)", grace_seconds=LONG_SECONDS)
    assert terminate(parent) == 75
    assert "saved by myself" in parent.out
    assert parent.run()["state"] == "preempted"
    again = Parent(tmp_path, OWN_HANDLER, resume="")
    assert again.ended() == 0
    assert [attempt["outcome"] for attempt in again.run()["attempts"]] == ["preempted", "finished"]


def test_a_handler_that_exits_with_0_inside_of_fit_has_not_finished_it_either(tmp_path):
    """`timeout` and `scancel` send the signal to all processes of the job."""
    text = OWN_HANDLER + "for _ in training.steps(2): print('a step', flush=True); time.sleep(1000)"
    parent = Parent(tmp_path, text, grace_seconds=LONG_SECONDS)
    parent.until("a step")
    os.killpg(parent.process.pid, signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.run()["state"] == "preempted"


def test_a_script_that_ignores_sigterm_and_comes_to_its_end_has_finished(tmp_path):
    text = """
import pathlib, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("begun", flush=True)
while not pathlib.Path("enough").exists(): time.sleep(0.02)
"""
    parent = Parent(tmp_path, text, grace_seconds=LONG_SECONDS)
    parent.until("begun")
    parent.process.send_signal(signal.SIGTERM)
    wait_for(lambda: "SIGTERM" in parent.err)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert parent.run()["state"] == "finished"


def test_after_the_last_fit_the_script_ends_at_once_too(tmp_path):
    text = "for _ in training.steps(2): pass\nprint('begun', flush=True)\n" + SLEEPS
    parent = Parent(tmp_path, text, grace_seconds=LONG_SECONDS)
    assert terminate(parent) == 75
    assert parent.out.endswith("finally\n")


def test_a_fit_that_ends_before_it_was_asked_is_not_waited_for(tmp_path):
    text = """
import signal, sys, time
def leave(*_):
    time.sleep(1)
    print("saved by myself", flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, leave)
for _ in training.steps(1):
    print("begun", flush=True)
    while training.heartbeat.read_wish() == "none": time.sleep(0.02)
time.sleep(1000)
"""
    parent = Parent(tmp_path, text, grace_seconds=LONG_SECONDS)
    assert terminate(parent) == 75
    assert "saved by myself" in parent.out
    assert parent.run()["state"] == "preempted"


def test_threads_of_the_script_do_not_hold_it(tmp_path):
    text = "import threading, time; threading.Thread(target=time.sleep, args=(1000,)).start()\n"
    parent = Parent(tmp_path, text + SLEEPS, grace_seconds=LONG_SECONDS)
    assert terminate(parent) == 75


def test_a_signal_to_the_training_alone_is_no_wish_of_the_user(tmp_path):
    text = f"if training.attempt == 1:\n    {'; '.join(SLEEPING)}\n" + UNTIL_TOLD
    parent = Parent(tmp_path, text)
    parent.until("begun")
    first = parent.child
    os.kill(first, signal.SIGTERM)
    parent.until("step 3")
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert not is_alive(first)
    assert [one["outcome"] for one in parent.run()["attempts"]] == ["killed", "finished"]
