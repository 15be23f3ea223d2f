"""What the shell ignores stays ignored: under a real `nohup`, in a real background job."""

import os
import signal
import subprocess
import sys

import pytest
from programs import foreground_signals, left_of, wait_for
from supervise.parents import UNTIL_TOLD, Parent, newest_run
from supervise.terminal import Terminal

from fitguard.monitor.samples import read_samples

TELLS_SIGNALS = """
import signal
print([int(signal.getsignal(n) is signal.SIG_IGN) for n in (1, 2, 3, 15, 10, 12)], flush=True)
"""
# A shell without job control has what it starts with `&` ignore SIGINT and SIGQUIT.
STAYS = 'trap : INT QUIT; "$@" & until wait $!; code=$?; [ $code -lt 128 ]; do :; done; exit $code'
IN_THE_BACKGROUND = ("sh", "-c", STAYS, "sh")


def later_step(parent: Parent) -> None:
    """Wait until it has gone on for a while."""
    seen = parent.out.count("\n")
    wait_for(lambda: parent.out.count("\n") > seen + 5)


def send_to_all(parent: Parent, *numbers: int) -> None:
    for number in numbers:
        os.killpg(parent.process.pid, number)
    later_step(parent)


def test_nohup_means_it(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, before=("nohup",))
    parent.until("step 3")
    send_to_all(parent, signal.SIGHUP)
    parent.process.send_signal(signal.SIGHUP)
    later_step(parent)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    run = parent.run()
    assert (run["state"], len(run["attempts"])) == ("finished", 1)
    assert left_of(parent.process.pid) == []


def test_sigterm_under_nohup_waits_for_the_snapshot(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, before=("nohup",))
    parent.until("step 3")
    send_to_all(parent, signal.SIGHUP)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    run = parent.run()
    assert run["state"] == "preempted"
    assert run["attempts"][0]["steps_lost"] == 0
    assert left_of(parent.process.pid) == []


def test_what_the_training_had_started_leaves_with_it(tmp_path):
    text = "import subprocess; subprocess.Popen(['sleep', '600'])" + UNTIL_TOLD
    parent = Parent(tmp_path, text, before=("nohup",))
    parent.until("step 3")
    wait_for(lambda: read_samples(parent.run_folder / "flight"))  # it has been seen
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    wait_for(lambda: left_of(parent.process.pid) == [])


def test_a_terminal_that_closes_does_not_end_what_nohup_started(tmp_path):
    terminal = Terminal(tmp_path, UNTIL_TOLD, before=("nohup",))
    output = tmp_path / "nohup.out"
    wait_for(lambda: output.exists() and "step 3" in output.read_text())
    terminal.close()
    seen = output.read_text().count("\n")
    wait_for(lambda: output.read_text().count("\n") > seen + 5)
    (tmp_path / "enough").touch()
    assert terminal.process.wait() == 0
    assert "fitguard: finished after" in output.read_text()


def test_a_terminal_that_closes_is_a_reason_to_leave_with_a_snapshot(tmp_path):
    terminal = Terminal(tmp_path, UNTIL_TOLD)
    terminal.until(b"step 3")
    terminal.close()
    assert terminal.process.wait() == 75
    assert '"state":"preempted"' in (newest_run(tmp_path) / "run.json").read_text()
    assert left_of(terminal.process.pid) == []


def test_a_background_job_is_not_interrupted(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, before=IN_THE_BACKGROUND)
    parent.until("step 3")
    send_to_all(parent, signal.SIGINT, signal.SIGQUIT)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert parent.run()["state"] == "finished"
    assert left_of(parent.process.pid) == []


def test_a_background_job_leaves_on_sigterm(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, ignored=(signal.SIGINT, signal.SIGQUIT))
    parent.until("step 3")
    send_to_all(parent, signal.SIGINT, signal.SIGQUIT)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.run()["state"] == "preempted"


def test_ctrl_c_does_nothing_where_it_is_ignored(tmp_path):
    terminal = Terminal(tmp_path, UNTIL_TOLD, ignored=(signal.SIGINT,))
    terminal.until(b"step 3")
    terminal.type(b"\x03")
    terminal.until(b"^C")
    terminal.shown = b""
    terminal.until(b"step")
    (tmp_path / "enough").touch()
    assert terminal.ended() == 0


@pytest.mark.parametrize(
    "ignored", [(), (signal.SIGHUP,), (signal.SIGINT, signal.SIGQUIT), (signal.SIGTERM,)]
)
def test_the_training_ignores_what_it_would_ignore_under_plain_python(tmp_path, ignored):
    parent = Parent(tmp_path, TELLS_SIGNALS, ignored=ignored)
    assert parent.ended() == 0
    with foreground_signals(ignored):
        plain = subprocess.run([sys.executable, "-c", TELLS_SIGNALS], stdout=subprocess.PIPE)
    assert parent.out == plain.stdout.decode()


def test_a_handler_of_the_script_gets_what_the_shell_ignores(tmp_path):
    text = """
import signal, time
got = []
signal.signal(signal.SIGHUP, lambda *_: got.append(1))
print("ready", flush=True)
while not got: time.sleep(0.02)
print("got it", flush=True)
"""
    parent = Parent(tmp_path, text, before=("nohup",))
    parent.until("ready")
    parent.process.send_signal(signal.SIGHUP)
    assert parent.ended() == 0
    assert parent.out == "ready\ngot it\n"


def test_the_exit_code_is_known_where_sigchld_is_ignored(tmp_path):
    parent = Parent(tmp_path, "raise SystemExit(7)", ignored=(signal.SIGCHLD,))
    assert parent.ended() == 7
