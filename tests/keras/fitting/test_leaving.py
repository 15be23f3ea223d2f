"""Steps that end the process: it asks to be replaced, or leaves as asked; and the way back.

Each process loads TensorFlow, so there are few.
"""

import runpy
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest
from guarded.attempts import attempt, events
from guarded.harness import environment_in
from programs import LONGEST_SECONDS

from fitguard.clean_start import words_to_run
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.journal import Journal
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import (
    LEFT_AS_ASKED,
    REPLACE_ME,
    Failed,
    FitBegan,
    Noted,
    Orders,
    SnapshotWritten,
)

pytestmark = pytest.mark.soak

SCRIPT = Path(__file__).with_name("leaving.py")


def run_child(folder, way):
    """The script in a guarded process: its folder, its exit code, and what it said."""
    run = RunFolder(folder)
    run.path.mkdir()
    run.orders.write_bytes(msgspec.json.encode(Orders(seed=3, plan=False)))
    Heartbeat(run.heartbeat, create=True).close()
    words = [str(run.path), str(SCRIPT), str(folder / "weights.npz"), way]
    done = subprocess.run(
        [sys.executable, *words_to_run("fitguard.keras.bootstrap"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_SECONDS,
        env=environment_in(folder),
    )
    return done.returncode, done.stderr


def run_here(weights):
    """The same training in this process; what it saves."""
    runpy.run_path(str(SCRIPT))["train"](weights, "nothing")
    with np.load(weights) as saved:
        return [saved[name] for name in saved.files]


def of_kind(folder, kind):
    return [event for event in Journal(folder / "journal.jsonl").read() if isinstance(event, kind)]


@pytest.fixture(scope="module")
def ended(tmp_path_factory):
    """All ends, by their way."""
    folder = tmp_path_factory.mktemp("runs")
    with ThreadPoolExecutor(2) as pool:
        ways = ("memory", "leave", "end")
        ends = {way: pool.submit(run_child, folder / way, way) for way in ways}
        expected = run_here(folder / "plain.npz")
    return {"folder": folder, "expected": expected, **{way: ends[way].result() for way in ends}}


def test_out_of_memory_at_a_later_step_asks_for_a_new_process(ended):
    code, said = ended["memory"]
    assert code == REPLACE_ME, said
    folder = ended["folder"] / "memory"
    (failed,) = of_kind(folder, Failed)
    assert (failed.kind, failed.mode, failed.rows, failed.of) == ("out-of-memory", "graph", 6, 6)
    assert (failed.place.epoch, failed.place.step, failed.place.total_steps) == (1, 1, 5)
    assert not (folder / "weights.npz").exists()
    with attempt(folder, 2, plan=False, micro_batches={"1": 3}):
        weights = run_here(folder / "weights.npz")
    for one, two in zip(weights, ended["expected"], strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-7)


def test_asked_to_leave_it_saves_and_goes_on_there(ended):
    code, said = ended["leave"]
    assert code == LEFT_AS_ASKED, said
    folder = ended["folder"] / "leave"
    assert of_kind(folder, SnapshotWritten)[-1].place.total_steps == 5
    with attempt(folder, 2) as fits:
        weights = run_here(folder / "weights.npz")
    for one, two in zip(weights, ended["expected"], strict=True):
        np.testing.assert_array_equal(one, two)
    assert events(fits, FitBegan)[-1].place.total_steps == 5
    assert events(fits, Noted) == []


def test_asked_to_leave_in_the_last_step_it_keeps_the_end(ended):
    code, said = ended["end"]
    assert code == LEFT_AS_ASKED, said
    folder = ended["folder"] / "end"
    assert not (folder / "weights.npz").exists()
    with attempt(folder, 2) as fits:
        weights = run_here(folder / "weights.npz")
    for one, two in zip(weights, ended["expected"], strict=True):
        np.testing.assert_array_equal(one, two)
    assert [event.restored for event in events(fits, FitBegan)] == [False, True]
