"""A guarded training as a trial of Ray Tune."""

import importlib.util
import json
import subprocess
import sys
import threading

import pytest
import ray
from fleet.clusters import find_processes, small_cluster, wait_for
from fleet.scripts.waits_here import wait
from guarded.results import difference

import fitguard.fleet
from fitguard.fleet import tuning
from fitguard.fleet.records import RunRecord
from fitguard.fleet.trainer import Ended
from fitguard.fleet.tuning import fill_job
from fitguard.schema.exit_codes import TrainingDied, UsageError

SECONDS = 300
EPOCHS = "200"
HAS_TUNE = importlib.util.find_spec("pyarrow") is not None
needs_tune = pytest.mark.skipif(not HAS_TUNE, reason='it needs "ray[tune]"')


def test_values_are_filled_in():
    job = {"name": "net", "run": "train.py --lr {lr}", "folder": "/project"}
    made = fill_job(job, {"lr": 0.1}, "ab_00001")
    assert made.name == "net-ab_00001"
    assert made.command == ("train.py", "--lr", "0.1")
    with pytest.raises(UsageError, match="a sweep over depth, which the training does not get"):
        fill_job(job, {"lr": 0.1, "depth": 2}, "ab_00001")


def test_a_function_gets_the_values_as_arguments():
    made = fill_job({"function": wait, "arguments": {"out": "o"}}, {"lr": 0.1}, "ab_00001")
    assert made.name == "trial-ab_00001"
    assert json.loads(made.command[3]) == {"lr": 0.1, "out": "o"}
    with pytest.raises(UsageError, match="unexpected keyword argument 'depth'"):
        fill_job({"function": wait, "arguments": {"out": "o"}}, {"depth": 2}, "ab_00001")


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Train one trial whose starts end so; the number of starts that were made."""
    monkeypatch.setattr(tuning, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(tuning, "_AGAIN_SECONDS", 0.01)

    def train_one(*ends):
        left = list(ends)

        class Trainer:
            def train(self, _):
                end = left.pop(0) if len(left) > 1 else left[0]
                if isinstance(end, Exception):
                    raise end
                return end

            def leave(self):
                pass

        monkeypatch.setattr(tuning, "Trainer", Trainer)
        job = fill_job({"run": "train.py", "folder": str(tmp_path)}, {}, "ab")
        tuning._train(job, str(tmp_path), lambda _: None)
        return len(ends) - len(left) + 1

    return train_one


def ended(code, **record):
    return Ended(exit_code=code, record=RunRecord(run="a", **record), said="process 7 guards it")


def test_a_run_that_the_last_start_still_holds_is_waited_for(train, monkeypatch):
    assert train(ended(75), ended(75), ended(0)) == 3
    monkeypatch.setattr(tuning, "_OTHERS_SECONDS", 0.1)
    with pytest.raises(TrainingDied, match="process 7 guards it"):
        train(ended(75))


def test_one_that_was_sent_away_is_left_to_tune(train):
    with pytest.raises(TrainingDied, match="exit code 75"):
        train(ended(75, outcome="preempted"), ended(0))


def test_what_fails_in_the_thread_is_raised(train):
    with pytest.raises(OSError, match="No space left"):
        train(OSError(28, "No space left on device"))


@pytest.mark.skipif(HAS_TUNE, reason="Ray Tune is here")
def test_without_tune():
    with pytest.raises(UsageError, match=r'pip install "ray\[tune\]"'):
        fitguard.fleet.make_trainable({"name": "net", "run": "train.py"})


@needs_tune
def test_what_tune_decides():
    with pytest.raises(UsageError, match="Received workers in the job of a trial"):
        fitguard.fleet.make_trainable({"name": "net", "run": "train.py", "workers": 2})


@pytest.mark.soak
@needs_tune
def test_a_trial_that_is_killed_goes_on(tmp_path, scripts):
    from ray import tune

    folder, storage = scripts(tmp_path), tmp_path / "runs"
    job = {
        "name": "net",
        "run": f"small.py out-{{seed}}.npz {{seed}} {EPOCHS}",
        "folder": str(folder),
        "options": "--snapshot-seconds 1",
    }
    killed = []

    def kill():
        wait_for(lambda: has_snapshot(storage), SECONDS)
        guard = next(one for one in find_processes("--name=net-") if one.cwd() == str(folder))
        guard.parent().kill()
        killed.append(guard)

    with small_cluster("FakeA:300MiB") as cluster:
        ray.init(address=cluster.address, log_to_driver=False)
        try:
            killing = threading.Thread(target=kill)
            killing.start()
            tuner = tune.Tuner(
                fitguard.fleet.make_trainable(job, storage=storage),
                param_space={"seed": tune.grid_search([3])},
                run_config=tune.RunConfig(
                    storage_path=str(tmp_path / "tune"),
                    failure_config=tune.FailureConfig(max_failures=2),
                    verbose=0,
                ),
            )
            results = tuner.fit()
            killing.join()
        finally:
            ray.shutdown()
    assert killed
    assert not results.errors
    assert results[0].metrics["epoch"] == int(EPOCHS)
    assert results[0].metrics["loss"] > 0
    words = [sys.executable, "small.py", "plain.npz", "3", EPOCHS]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    assert not difference(folder / "out-3.npz", folder / "plain.npz")
    assert not find_processes(str(storage))


def has_snapshot(storage):
    return any('"event":"snapshot"' in one.read_text() for one in storage.glob("*/journal.jsonl"))
