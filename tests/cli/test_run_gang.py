"""The options of `fitguard run` for several workers: what is refused, and why."""

import json
import os

import pytest
from cli.process import fitguard

from fitguard.cli.run_gang import read_place
from fitguard.monitor.gang_folder import GangFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.gang import GangPlan
from fitguard.supervise.lock import locking_run

CLUSTER = {"cluster": {"worker": ["a:1", "b:2", "c:3"]}, "task": {"type": "worker", "index": 2}}


def place(gang="night", worker=None, workers=None, name=None, least=0):
    return read_place(gang, worker, workers, seconds=60.0, name=name, least=least)


@pytest.fixture(autouse=True)
def no_config(monkeypatch):
    monkeypatch.delenv("TF_CONFIG", raising=False)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"worker": 5, "workers": 2}, "Received --worker 5 of --workers 2. Expected 0 to 1"),
        ({"worker": -1, "workers": 2}, "Received --worker -1 of --workers 2"),
        ({"worker": 0, "workers": 0}, "Received --workers 0. Expected 1 to 1000"),
        ({"worker": 0}, "Received --gang without --workers, and TF_CONFIG is not set"),
        ({"workers": 2}, "Received --gang without --worker, and TF_CONFIG is not set"),
        ({"gang": None, "worker": 1, "workers": 2}, "Received --worker 1 without --gang"),
        ({"gang": None, "workers": 0}, "Received --workers 0. Expected 1 to 1000"),
        ({"worker": 0, "workers": 2, "least": 3}, "Received --min-workers 3 of --workers 2."),
        ({"gang": None, "workers": 2, "least": 3}, "Received --min-workers 3 of --workers 2."),
        ({"gang": "../up", "worker": 0, "workers": 2}, "Expected up to 64 letters"),
        ({"gang": "n" * 60, "worker": 0, "workers": 2}, "Expected at most 48 characters"),
        ({"name": "other", "worker": 0, "workers": 2}, "Received --gang night and --name other"),
    ],
)
def test_options_that_say_nothing_together_are_refused(options, problem):
    with pytest.raises(UsageError) as refused:
        place(**options)
    assert problem in str(refused.value)


def test_the_scheduler_tells_which_worker_this_is(monkeypatch):
    monkeypatch.setenv("TF_CONFIG", json.dumps(CLUSTER))
    found = place()
    assert (found.worker, found.workers, found.address) == (2, 3, "c:3")
    assert json.loads(found.config) == CLUSTER
    assert place(worker=2, workers=3) == found


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"worker": 1}, "Received --worker 1, but TF_CONFIG says 2"),
        ({"workers": 2}, "Received --workers 2, but TF_CONFIG says 3"),
        ({"gang": None, "workers": 3}, "TF_CONFIG says that this is worker 2 of 3"),
    ],
)
def test_options_that_contradict_the_scheduler_are_refused(monkeypatch, options, problem):
    monkeypatch.setenv("TF_CONFIG", json.dumps(CLUSTER))
    with pytest.raises(UsageError) as refused:
        place(**options)
    assert problem in str(refused.value)


def test_a_head_that_is_gone_is_no_head(monkeypatch):
    monkeypatch.setenv("FITGUARD_GANG_HEAD", "1")
    if os.getppid() != 1:
        with pytest.raises(UsageError, match="Received FITGUARD_GANG_HEAD=1"):
            place(worker=0, workers=2)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--workers", "0"], "Received --workers 0"),
        (["--gang", "night", "--worker", "0", "--workers", "3"], "which has 2 ("),
        (["--gang", "night", "--worker", "0", "--workers", "2"], "started with `other.py`"),
        (["--workers", "2", "--name", "night"], "has a gang of this name"),
        (["--workers", "2", "--resume=unknown"], "which is no gang in"),
        (["--workers", "2", "--resume"], "holds no unfinished gang of 2 workers"),
        (["--workers", "3", "--resume=night"], "for the gang night, which has 2. Expected"),
    ],
)
def test_another_gang_than_the_one_that_is_there_is_refused(tmp_path, options, problem):
    (tmp_path / "train.py").write_text("print('trained')")
    runs = tmp_path / "fitguard-runs"
    runs.mkdir(0o700)
    plan = GangPlan(name="night", workers=2, command=("other.py",), seed=1)
    GangFolder(runs, "night").create_plan(plan)
    done = fitguard("run", *options, "train.py", cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert problem in done.stderr
    assert "trained" not in done.stdout


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path):
    (tmp_path / "train.py").write_text("print('trained')")
    (tmp_path / "fitguard-runs").write_text("a file")
    words = ["--gang", "night", "--worker", "0", "--workers", "2"]
    done = fitguard("run", *words, "train.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "as the folder in which the gang night meets" in done.stderr


def test_what_trains_nothing_together_ends_well_and_goes_on_as_a_gang(tmp_path):
    """Options get through to the workers; the output of one is shown."""
    (tmp_path / "train.py").write_text(
        "import json, os, sys\n"
        "print(json.loads(os.environ['TF_CONFIG'])['task']['index'], sys.argv[1:])\n"
        "print('head', os.environ.get('FITGUARD_GANG_HEAD'))\n"
    )
    words = ["--workers", "2", "--name", "pair", "--lease-seconds", "7"]
    done = fitguard("run", *words, "train.py", "--epochs", "3", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "0 ['--epochs', '3']\nhead None\n"
    assert "fitguard [worker 1]: finished after" in done.stderr
    other = tmp_path / "fitguard-runs" / "pair-worker-1"
    assert (other / "output.log").read_text().startswith("1 ['--epochs', '3']")
    again = fitguard("run", "--workers", "2", "--resume=pair", cwd=tmp_path)
    assert again.returncode == 0
    assert "the run pair-worker-0 is finished" in again.stderr


@pytest.mark.parametrize(("resume", "code"), [("--resume=pair", 2), ("--resume=auto", 75)])
def test_a_gang_that_trains_now_is_left_alone(tmp_path, resume, code):
    (tmp_path / "train.py").write_text("print('trained')")
    words = ["run", "--workers", "2", "--name", "pair"]
    assert fitguard(*words, "train.py", cwd=tmp_path).returncode == 0
    with locking_run(GangFolder(tmp_path / "fitguard-runs", "pair").find_worker(1)):
        again = fitguard(*words, resume, "train.py", cwd=tmp_path)
    assert again.returncode == code, again.stderr
    assert "Received the gang pair, which trains now: process" in again.stderr
    assert "worker 0" not in again.stderr


def test_a_plan_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "train.py").write_text("print('trained')")
    folder = GangFolder(tmp_path / "fitguard-runs", "pair")
    folder.path.mkdir(0o700, parents=True)
    folder.runs_folder.chmod(0o700)
    folder.plan.write_text("junk")
    done = fitguard("run", "--workers", "2", "--resume=pair", "train.py", cwd=tmp_path)
    assert done.returncode == 5
    assert "gang.json: it cannot be read" in done.stderr
