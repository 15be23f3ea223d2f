"""The loop: real processes that end well, crash, leave, and are started again."""

import json

import pytest
from programs import is_alive
from supervise.parents import UNTIL_TOLD, Parent

from fitguard.monitor.samples import read_samples
from fitguard.schema.journal import (
    AttemptEnded,
    AttemptStarted,
    Decided,
    RunEnded,
    RunStarted,
)


def test_a_run_without_a_fault_says_one_line(tmp_path):
    text = "import sys; print('hello', sys.argv[3:]); print('oops', file=sys.stderr)"
    parent = Parent(tmp_path, text, "--epochs", "3")
    assert parent.ended() == 0
    assert parent.out == "hello ['--epochs', '3']\n"
    oops, line = parent.err.splitlines()
    assert oops == "oops"
    assert line.startswith("fitguard: finished after ")
    assert f"fitguard report {parent.run_folder.name}" in line


def test_quiet_says_nothing_where_nothing_went_wrong(tmp_path):
    parent = Parent(tmp_path, "print('hello')", quiet=True)
    assert parent.ended() == 0
    assert parent.err == ""


def test_the_record_of_a_run_without_a_fault(tmp_path):
    parent = Parent(tmp_path, "for _ in training.steps(3): print('step')")
    assert parent.ended() == 0
    kinds = [type(event) for event in parent.events(object)]
    assert kinds[0] is RunStarted
    assert kinds[1] is AttemptStarted
    assert kinds[-2:] == [AttemptEnded, RunEnded]
    run = parent.run()
    assert (run["state"], run["exit_code"]) == ("finished", 0)
    assert run["attempts"][0]["outcome"] == "finished"
    assert run["attempts"][0]["last"]["total_steps"] == 3
    assert run["attempts"][0]["peak_host_bytes"] > 2**20
    assert (parent.run_folder / "output.log").read_text() == "step\n" * 3


KEEPS = """
kept = training.folder.kept_files
print("kept", kept.exists(), flush=True)
kept.mkdir(parents=True, exist_ok=True)
if training.attempt == 1:
    training.save()
    import os; os._exit(3)
"""


def test_files_that_a_restart_may_need_are_kept_until_the_run_is_recorded_as_ended(tmp_path):
    parent = Parent(tmp_path, KEEPS)
    assert parent.ended() == 0
    assert parent.out == "kept False\nkept True\n"
    assert not (parent.run_folder / "files" / "kept").exists()


CRASHES = {
    "segfault": "os.kill(os.getpid(), signal.SIGSEGV)",
    "abort": "os.abort()",
    "kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "vanishes": "os._exit(3)",
}


@pytest.mark.parametrize("crash", CRASHES.values(), ids=CRASHES)
def test_a_crash_is_survived_from_the_snapshot(tmp_path, crash):
    text = f"""
import os, signal
for step in training.steps(6):
    print('step', step, flush=True)
    if step == 3 and training.attempt == 1:
        training.save()
        {crash}
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    steps = [int(line.split()[1]) for line in parent.out.splitlines()]
    assert steps == [0, 1, 2, 3, 3, 4, 5]
    run = parent.run()
    assert [attempt["outcome"] for attempt in run["attempts"]][1] == "finished"
    assert run["attempts"][0]["action"] == "restart"
    assert len(run["decisions"]) == 1
    assert f"fitguard: {run['decisions'][0]['text']}\n" in parent.err


def test_seed_and_orders_stay_from_attempt_to_attempt(tmp_path):
    text = """
import os
print(training.orders.seed, training.orders.micro_batches, flush=True)
for step in training.steps(2):
    training.save()
    if training.attempt == 1: os._exit(3)
"""
    parent = Parent(tmp_path, text, micro_batch=8)
    assert parent.ended() == 0
    one, other = parent.out.splitlines()
    assert one == other
    assert one.endswith("{'0': 8}")
    assert parent.events(RunStarted)[0].seed == int(one.split()[0])


def test_an_exit_code_of_the_script_is_passed_through(tmp_path):
    parent = Parent(tmp_path, "import sys; sys.exit(7)")
    assert parent.ended() == 7
    run = parent.run()
    assert run["attempts"][0]["outcome"] == "exited"
    assert run["state"] == "stopped"


def test_wrong_data_stops_at_once_with_the_diagnosis(tmp_path):
    error = (
        'ValueError: Input 0 of layer \\"dense\\" is incompatible with the layer: expected axis '
        "-1 of input shape to have value 4, but received input with shape (None, 5)"
    )
    text = f"""
import sys
for step in training.steps(2):
    print("Traceback (most recent call last):", file=sys.stderr)
    print("  File 'train.py', line 3, in <module>", file=sys.stderr)
    print("{error}", file=sys.stderr)
    training.fail("exception", error="ValueError")
    sys.stderr.flush()
    import os; os._exit(1)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 1
    assert parent.run()["attempts"][0]["cause"] == "data-shape-dtype"
    assert len(parent.run()["attempts"]) == 1
    assert "fitguard: cause: data-shape-dtype" in parent.err
    assert "fitguard: to do: " in parent.err


def test_a_worker_that_lost_another_starts_again(tmp_path):
    text = """
import os, sys
for step in training.steps(4):
    if step == 2 and training.attempt == 1:
        training.save()
        print("Collective ops is aborted by: recvmsg:Connection reset by peer", file=sys.stderr)
        training.fail("exception", error="UnavailableError")
        sys.stderr.flush()
        os._exit(1)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    first, second = parent.run()["attempts"]
    assert (first["cause"], first["action"]) == ("multi-gpu-comm", "restart")
    assert second["outcome"] == "finished"
    assert "another worker failed first" in parent.err
    assert "NCCL" not in parent.err


def test_no_progress_stops_with_the_code_of_the_signal(tmp_path):
    text = """
import os, signal
for step in training.steps(5):
    if step == 2: os.kill(os.getpid(), signal.SIGSEGV)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 139
    run = parent.run()
    assert 2 <= len(run["attempts"]) <= 4
    assert {attempt["signal"] for attempt in run["attempts"]} == {"SIGSEGV"}
    assert run["decisions"][-1]["action"] == "stop"
    assert parent.events(Decided)[-1].action == "stop"


def test_a_child_that_asks_to_be_replaced_gets_smaller_micro_batches(tmp_path):
    text = """
import os
for step in training.steps(3):
    print(training.orders.micro_batches, flush=True)
    if training.attempt == 1:
        training.fail("out-of-memory", mode="xla", rows=32, of=32, error="ResourceExhaustedError")
        os._exit(86)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    assert parent.out.splitlines()[:2] == ["{}", "{'1': 16}"]
    run = parent.run()
    assert run["attempts"][0]["outcome"] == "out-of-memory"
    assert run["attempts"][0]["action"] == "smaller-micro-batch"


def test_output_is_kept_untouched(tmp_path):
    text = r"""
import os
os.write(1, bytes(range(256)) * 8)
os.write(1, b"\x1b[1mno newline\r 5%")
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    expected = bytes(range(256)) * 8 + b"\x1b[1mno newline\r 5%"
    assert (tmp_path / "out").read_bytes() == expected
    assert (parent.run_folder / "output.log").read_bytes() == expected


def test_a_process_that_the_training_left_behind_is_ended_before_the_next_attempt(tmp_path):
    text = """
import os, subprocess, sys, time
from fitguard.monitor.samples import read_samples
for step in training.steps(2):
    if training.attempt == 1:
        left = subprocess.Popen(["sleep", "600"])
        print(left.pid, flush=True)
        records = training.folder.flight_records
        taken = len(read_samples(records))
        while len(read_samples(records)) < taken + 20:
            time.sleep(0.1)
        training.save()
        os._exit(3)
"""
    parent = Parent(tmp_path, text)
    assert parent.ended() == 0
    left = int(parent.out.split()[0])
    assert not is_alive(left)
    samples = read_samples(parent.run_folder / "flight")
    assert samples[0].attempt == 1
    assert samples[0].host_limit_bytes > samples[0].host_bytes > 2**20


def test_run_json_is_whole_while_it_runs(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step")
    document = json.loads((parent.run_folder / "run.json").read_bytes())
    assert document["state"] == "running"
    assert document["attempts"][0]["outcome"] == "running"
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
