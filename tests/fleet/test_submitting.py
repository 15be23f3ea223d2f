"""`ray job submit`, `ray job stop`, and `ray://`, with a real Ray that a user would start so."""

import importlib.util
import json
import subprocess
import sys

import pytest
from fleet.clusters import find_processes, wait_for
from fleet.started import RAY, started_ray
from guarded.results import difference

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(
        not importlib.util.find_spec("aiohttp"), reason='needs pip install "ray[default]"'
    ),
]
SECONDS = 400
WAIT = json.dumps({"env_vars": {"RAY_JOB_STOP_WAIT_TIME_S": "150"}})


@pytest.fixture(scope="module")
def running():
    with started_ray("FakeA:300MiB", RAY_CLIENT_SERVER_CHECK_CHANNEL_TIMEOUT_S="200") as one:
        yield one


@pytest.fixture
def folder(tmp_path, scripts):
    project = tmp_path / "project"
    project.mkdir()
    return scripts(project)


def count_snapshots(storage, name):
    journal = storage / name / "journal.jsonl"
    return journal.read_text().count('"event":"snapshot"') if journal.exists() else 0


def write_jobs(folder, where, out, extra=""):
    (where / "jobs.yaml").write_text(
        f"defaults: {{memory: 200MiB, options: --snapshot-seconds 1{extra}}}\n"
        f"jobs:\n  - {{name: one, run: small.py {out} 2 100 {folder}/go}}\n"
    )


def submit(running, folder, storage, number, *words):
    done = running.call(
        *(RAY, "job", "submit", "--no-wait", "--address", running.dashboard),
        *("--submission-id", number, "--working-dir", ".", *words, "--"),
        *("fitguard", "fleet", "run", "jobs.yaml", "--storage", storage),
        cwd=folder,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr


def read_log(running, number):
    return running.call(
        RAY, "job", "logs", "--address", running.dashboard, number, timeout=SECONDS
    ).stdout


def ask(running, number):
    return running.call(
        RAY, "job", "status", "--address", running.dashboard, number, timeout=SECONDS
    ).stdout


def test_stopped_and_submitted_again_with_another_copy(running, folder, tmp_path, train_plainly):
    storage, out = tmp_path / "runs", tmp_path / "one.npz"
    write_jobs(tmp_path, folder, out)
    submit(running, folder, storage, "first", "--runtime-env-json", WAIT)
    wait_for(lambda: count_snapshots(storage, "one"), SECONDS)
    running.call(RAY, "job", "stop", "--address", running.dashboard, "first", timeout=SECONDS)
    assert "was stopped" in ask(running, "first")
    # It had the time to say how all left.
    said = read_log(running, "first")
    assert "left" in said
    assert "`ray job stop` waits" not in said
    assert "Ray has made a copy of --working-dir for 1 training (one)" in said
    assert not find_processes(f"--runs-folder={storage}")

    # Changed files are another copy; the time to leave is the usual one.
    (folder / "notes.txt").write_text("changed")
    (tmp_path / "go").touch()
    submit(running, folder, storage, "second")
    wait_for(lambda: "succeeded" in ask(running, "second"), SECONDS, every=2)
    assert "`ray job stop` waits 3 seconds" in read_log(running, "second")
    assert '"resumed":true' in (storage / "one/journal.jsonl").read_text()
    assert not difference(out, train_plainly(folder, "one", "2", "100"))


def find_client_server(running):
    """The process that Ray starts for a client."""
    port = running.address.rpartition(":")[2]
    return [one for one in find_processes("--mode=specific-server") if port in str(one.cmdline())]


def test_a_client_that_is_cut_off_says_so_and_goes_on(running, folder, tmp_path, train_plainly):
    """From a folder that has nothing of the project, as another machine would."""
    storage, elsewhere = tmp_path / "runs", tmp_path / "elsewhere"
    elsewhere.mkdir()
    write_jobs(tmp_path, elsewhere, "one.npz", extra=f", folder: {folder}")
    words = ("--address", running.client, "--storage", str(storage))
    started = [sys.executable, "-m", "fitguard", "fleet", "run", "jobs.yaml", *words]
    fleet = subprocess.Popen(
        started, cwd=elsewhere, env=running.environment, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: count_snapshots(storage, "one"), SECONDS)
        for process in find_client_server(running):
            process.kill()
        said = fleet.communicate(timeout=SECONDS)[1]
    finally:
        fleet.kill()
    assert fleet.returncode == 1
    assert "was lost" in said
    assert "The same command goes on" in said
    wait_for(lambda: not find_processes(f"--runs-folder={storage}"), SECONDS)
    (tmp_path / "go").touch()
    again = running.call(*started, cwd=elsewhere, timeout=SECONDS)
    assert again.returncode == 0, again.stderr
    assert not difference(folder / "one.npz", train_plainly(folder, "one", "2", "100"))
