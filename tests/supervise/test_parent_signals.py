"""Signals to the parent: what users and batch systems send, to real processes."""

import os
import signal
import time

import pytest
from programs import is_alive, wait_for
from supervise.parents import UNTIL_TOLD, Parent


def test_sigterm_waits_for_the_snapshot(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    run = parent.run()
    assert run["state"] == "preempted"
    assert run["attempts"][0]["outcome"] == "preempted"
    assert run["attempts"][0]["exit_code"] == 75
    assert run["attempts"][0]["steps_lost"] == 0
    assert "fitguard: SIGTERM: the training takes a snapshot and stops" in parent.err
    assert f"fitguard run --resume {run['id']}" in parent.err


def test_sighup_is_taken_as_sigterm(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    parent.process.send_signal(signal.SIGHUP)
    assert parent.ended() == 75
    assert parent.run()["state"] == "preempted"


def test_a_training_that_does_not_leave_is_killed_after_the_grace(tmp_path):
    text = """
import signal, time
signal.signal(signal.SIGTERM, lambda *_: print("asked", flush=True))
print("deaf", flush=True)
while True: time.sleep(0.05)
"""
    parent = Parent(tmp_path, text, grace_seconds=6)
    parent.until("deaf")
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert "asked" in parent.out  # a handler of the script's own has its chance
    attempt = parent.run()["attempts"][0]
    assert (attempt["outcome"], attempt["signal"]) == ("preempted", "SIGKILL")


def test_a_second_sigterm_does_not_wait(tmp_path):
    parent = Parent(tmp_path, "print('deaf', flush=True)\nimport time\nwhile True: time.sleep(1)")
    parent.until("deaf")
    parent.process.send_signal(signal.SIGTERM)
    wait_for(lambda: "SIGTERM" in parent.err)
    time.sleep(1.2)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75


def test_sigterm_twice_at_once_is_one(tmp_path):
    """As `timeout` sends it: to the process, and to its group."""
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    for _ in range(2):
        parent.process.send_signal(signal.SIGTERM)
        time.sleep(0.005)
    assert parent.ended() == 75
    assert parent.run()["attempts"][0]["exit_code"] == 75


def test_kill_int_is_sent_on_and_ends_the_run(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    parent.process.send_signal(signal.SIGINT)
    assert parent.ended() == 130
    assert parent.err.count("KeyboardInterrupt") == 1
    run = parent.run()
    assert run["state"] == "interrupted"
    assert run["attempts"][0]["signal"] == "SIGINT"
    assert len(run["attempts"]) == 1


def test_a_script_may_take_an_interrupt_and_go_on(tmp_path):
    text = """
import time
try:
    print("working", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("saved", flush=True)
print("end")
"""
    parent = Parent(tmp_path, text)
    parent.until("working")
    parent.process.send_signal(signal.SIGINT)
    assert parent.ended() == 0
    assert parent.out.splitlines() == ["working", "saved", "end"]
    assert parent.run()["state"] == "finished"


def test_interrupts_get_stronger(tmp_path):
    text = """
import signal, time
signal.signal(signal.SIGINT, lambda *_: print("int", flush=True))
signal.signal(signal.SIGTERM, lambda *_: print("term", flush=True))
print("deaf", flush=True)
while True: time.sleep(0.05)
"""
    parent = Parent(tmp_path, text)
    parent.until("deaf")
    for answer in ("int", "term"):
        parent.process.send_signal(signal.SIGINT)
        parent.until(answer)
    parent.process.send_signal(signal.SIGINT)
    assert parent.ended() == 130
    attempt = parent.run()["attempts"][0]
    assert (attempt["outcome"], attempt["signal"]) == ("interrupted", "SIGKILL")


@pytest.mark.parametrize("number", [signal.SIGUSR1, signal.SIGUSR2])
def test_signals_of_the_users_own_reach_the_script(tmp_path, number):
    text = f"""
import signal, time
got = []
signal.signal({int(number)}, lambda *_: got.append(1))
print("ready", flush=True)
while not got: time.sleep(0.02)
print("got it")
"""
    parent = Parent(tmp_path, text)
    parent.until("ready")
    parent.process.send_signal(number)
    assert parent.ended() == 0
    assert "got it" in parent.out


def test_an_interrupt_between_two_attempts_ends_the_run(tmp_path):
    """The explanation takes its time: an interrupt that comes meanwhile is not forgotten."""
    text = "print('begun', flush=True); import os; os.kill(os.getpid(), 9)"
    parent = Parent(tmp_path, text)
    parent.until("begun")
    time.sleep(0.05)
    parent.process.send_signal(signal.SIGINT)
    assert parent.ended() == 130
    assert parent.run()["state"] == "interrupted"


def test_sigcont_reaches_a_training_that_was_stopped(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    os.kill(parent.child, signal.SIGSTOP)
    (tmp_path / "enough").touch()
    parent.process.send_signal(signal.SIGCONT)
    assert parent.ended() == 0


def test_a_killed_parent_is_resumed_where_it_was(tmp_path):
    text = """
for step in training.steps(40, seconds=0.2 if training.attempt == 1 else 0):
    print("step", step, flush=True)
    training.save()
"""
    parent = Parent(tmp_path, text)
    parent.until("step 5")
    child = parent.child
    parent.process.kill()
    assert parent.ended() == -signal.SIGKILL
    os.kill(child, signal.SIGKILL)  # the plain child does not ask the kernel to die with its parent
    wait_for(lambda: not is_alive(child))
    again = Parent(tmp_path, text, resume="")
    assert again.ended() == 0
    run = again.run()
    assert run["state"] == "finished"
    assert [attempt["outcome"] for attempt in run["attempts"]] == ["lost", "finished"]
    assert run["attempts"][1]["first"]["total_steps"] >= 5
    steps = [int(line.split()[1]) for line in again.out.splitlines()]
    assert sorted(set(steps)) == list(range(40))
    assert len(steps) <= 41


def test_an_orphan_of_a_killed_parent_is_ended_first(tmp_path):
    text = """
import time
print("begun", training.attempt, flush=True)
time.sleep(60 if training.attempt == 1 else 0)
"""
    parent = Parent(tmp_path, text)
    parent.until("begun 1")
    child = parent.child
    parent.process.kill()
    parent.ended()
    again = Parent(tmp_path, text, resume="")
    assert again.ended() == 0
    wait_for(lambda: not is_alive(child))
