"""Hangs and hopeless autotuning, in real processes."""

import os
import select
import signal
import time

from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent

OUT_OF_MEMORY = (
    "W0000 00:00:1794705963.541981   19675 bfc_allocator.cc:502] Allocator (GPU_0_bfc) ran out of "
    "memory trying to allocate 320.00MiB (rounded to 335548160)requested by op "
)


def test_a_hang_shows_its_stacks_and_is_started_again(tmp_path):
    text = """
import time
def wait_for_nothing():
    time.sleep(60)
for step in training.steps(6):
    training.save()
    if step == 4 and training.attempt == 1:
        wait_for_nothing()
"""
    parent = Parent(tmp_path, text, hang_seconds=4)
    assert parent.ended() == 0
    run = parent.run()
    first = run["attempts"][0]
    assert (first["outcome"], first["cause"]) == ("hung", "hang")
    assert any("wait_for_nothing" in line for line in first["evidence"])
    assert "wait_for_nothing" in (parent.run_folder / "stacks.txt").read_text()
    assert run["attempts"][1]["outcome"] == "finished"
    assert "fitguard: no sign of life" in parent.err


def test_a_stopped_training_is_not_hung(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD, hang_seconds=4)
    parent.until("step 4")
    child = parent.child
    os.kill(child, signal.SIGSTOP)
    time.sleep(6.0)
    os.kill(child, signal.SIGCONT)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert len(parent.run()["attempts"]) == 1


def test_a_reader_that_pauses_is_no_hang(tmp_path):
    reading, writing = os.pipe()
    text = """
for step in training.steps(6):
    print("x" * 100_000, flush=True)
"""
    with (tmp_path / "err").open("wb") as errors:
        parent = Parent(tmp_path, text, streams=(writing, errors), hang_seconds=4)
    os.close(writing)
    wait_for(lambda: select.select([reading], [], [], 1.0)[0])
    time.sleep(6.0)
    total = 0
    while data := os.read(reading, 65536):
        total += len(data)
    os.close(reading)
    assert parent.ended() == 0
    assert total == 6 * 100_001


def test_autotuning_that_fails_on_and_on_is_cut_short(tmp_path):
    text = f"""
import sys, time
for step in training.steps(3):
    if training.attempt == 1:
        while True:
            print({OUT_OF_MEMORY!r}, file=sys.stderr, flush=True)
            time.sleep(0.2)
    print(training.orders.micro_batches, flush=True)
"""
    parent = Parent(tmp_path, text, autotuning_seconds=0.8)
    assert parent.ended() == 0
    run = parent.run()
    assert run["attempts"][0]["outcome"] == "out-of-memory"
    assert run["attempts"][0]["action"] == "smaller-micro-batch"
    assert "autotuning" in parent.err
    assert parent.out.splitlines()[0] == "{'1': 16}"
