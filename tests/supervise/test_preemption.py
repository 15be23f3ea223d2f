"""The signals and exit codes of schedulers."""

import os
import signal
from pathlib import Path

import pytest
from supervise.parents import UNTIL_TOLD, Parent

from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.inbox import HANDLED
from fitguard.supervise.preemption import measure_grace, read_signals


def test_a_signal_of_the_scheduler_works_like_sigterm(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, preempt_signals=[signal.SIGUSR1], preempt_exit_code=138)
    parent.until("step 3")
    parent.process.send_signal(signal.SIGUSR1)
    assert parent.ended() == 138
    run = parent.run()
    assert (run["state"], run["exit_code"]) == ("preempted", 138)
    assert run["attempts"][0]["steps_lost"] == 0
    assert "fitguard: SIGUSR1: the training takes a snapshot and stops" in parent.err


def test_one_that_is_blocked_by_no_default_is_taken_too(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, preempt_signals=[signal.SIGXCPU])
    parent.until("step 3")
    parent.process.send_signal(signal.SIGXCPU)
    assert parent.ended() == 75


def test_all_processes_of_the_job_get_it(tmp_path):
    """As `scancel --signal=USR1 --full` and `sbatch --signal=USR1@60` send it to a job step."""
    parent = Parent(tmp_path, UNTIL_TOLD, preempt_signals=[signal.SIGUSR1])
    parent.until("step 3")
    os.killpg(parent.process.pid, signal.SIGUSR1)
    assert parent.ended() == 75
    assert parent.run()["attempts"][0]["outcome"] == "preempted"


def test_no_thread_of_the_parent_takes_what_the_parent_waits_for(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, after_snapshot="true")
    parent.until("step 3")
    pid = parent.process.pid
    threads = [task for task in Path(f"/proc/{pid}/task").iterdir() if task.name != str(pid)]
    assert len(threads) > 2
    for thread in threads:
        fields = dict(line.split(":\t", 1) for line in (thread / "status").read_text().splitlines())
        for number in HANDLED:
            assert int(fields["SigBlk"], 16) >> (number - 1) & 1, (fields["Name"], number)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0


def test_it_ends_a_pause_between_two_attempts(tmp_path):
    text = "print('begun', flush=True); import os; os._exit(3)"
    parent = Parent(tmp_path, text, preempt_signals=[signal.SIGUSR1])
    parent.until("begun")
    parent.process.send_signal(signal.SIGUSR1)
    assert parent.ended() == 75


def test_the_restart_of_a_slurm_job_is_shown(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_RESTART_COUNT", "2")
    monkeypatch.setenv("SLURM_JOB_ID", "77")
    for code, sent in ((75, True), (0, False)):
        parent = Parent(tmp_path, UNTIL_TOLD, resume="auto", name="n")
        if sent:
            parent.until("step 3")
            parent.process.send_signal(signal.SIGTERM)
        else:
            (tmp_path / "enough").touch()
        assert parent.ended() == code
    assert "continues the run n. This is restart 2 of the Slurm job 77." in parent.err


@pytest.mark.parametrize("word", ["SIGUSR1", "usr1", "USR1", str(int(signal.SIGUSR1))])
def test_how_a_signal_is_named(word):
    assert read_signals([word]) == (signal.SIGUSR1,)


@pytest.mark.parametrize("word", ["", "SIGKILL", "9", "SIGCHLD", "SIGSEGV", "SIGINT", "USR3", "-1"])
def test_a_signal_that_cannot_be_one(word):
    with pytest.raises(UsageError, match="Expected a signal that a scheduler sends: SIGUSR1"):
        read_signals([word])


@pytest.mark.parametrize(
    ("given", "job_end", "end", "expected"),
    [
        (None, "", None, 25),
        (40.0, "1120", None, 40),
        (None, "1120", None, 115),
        (None, "990", None, 25),
        (None, "90000", None, 25),
        (None, "soon", None, 25),
        (None, "", 1100.0, 95),
    ],
)
def test_the_grace_is_what_is_really_there(given, job_end, end, expected):
    environment = {"SLURM_JOB_END_TIME": job_end} if job_end else {}
    assert measure_grace(given, environment, 1000.0, end) == expected


def test_the_grace_of_a_container_is_that_of_docker_stop_and_not_that_of_kubernetes():
    assert measure_grace(None, {}, 1000.0, is_init=True) == 8
    assert measure_grace(None, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, 1000.0, is_init=True) == 25
    assert measure_grace(40.0, {}, 1000.0, is_init=True) == 40
