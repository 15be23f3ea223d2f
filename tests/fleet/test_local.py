"""`fitguard fleet run --local`: an embedded Ray that starts and ends with the command."""

import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest
from fleet.clusters import find_processes, wait_for

import fitguard
from fitguard.fleet.doors import is_loopback

SECONDS = 400
JOBS = """
defaults: {memory: 100MiB, takes: 10min}
jobs:
  - {name: first, run: waits.py first.txt stop}
  - {name: second, run: waits.py second.txt stop}
  - {name: third, run: waits.py third.txt stop, takes: 3h}
"""


@pytest.fixture
def folder(tmp_path, scripts):
    return scripts(tmp_path)


def list_listening(process):
    """Addresses that it and its descendants listen on."""
    found = set()
    for one in [process, *process.children(recursive=True)]:
        for connection in one.net_connections():
            if connection.status == psutil.CONN_LISTEN:
                found.add(connection.laddr.ip)
    return found


def test_two_cards_loopback_only_and_leaving(folder, start):
    environment = {**os.environ, "FITGUARD_CARDS": "FakeA:150MiB,FakeB:150MiB"}
    environment.pop("RAY_AUTH_MODE", None)
    fleet = start(JOBS, folder, "--local", environment=environment)
    wait_for(lambda: len(list(folder.glob("*.txt"))) == 2, SECONDS)
    assert {file.stem for file in folder.glob("*.txt")} == {"third", "first"}  # the longest first
    assert all(map(is_loopback, list_listening(psutil.Process(fleet.pid))))
    started = psutil.Process(fleet.pid).children(recursive=True)
    os.killpg(fleet.pid, signal.SIGTERM)  # as `timeout` and schedulers do; Ray gets it, too
    answer, said = fleet.communicate(timeout=SECONDS)
    assert fleet.returncode == 75, said
    assert {one["state"] for one in json.loads(answer)["trainings"]} == {"left"}
    assert not find_processes(str(folder))
    assert not psutil.wait_procs(started, timeout=SECONDS)[1]
    runs = fitguard.read_runs(folder / "fitguard-runs").runs
    host = socket.gethostname()
    assert {one.attempts[0].card for one in runs} == {f"{host}/0 FakeA", f"{host}/1 FakeB"}


@pytest.mark.soak
def test_a_ray_that_does_not_start_is_no_fault_of_fitguard(folder):
    (folder / "jobs.yaml").write_text(JOBS)
    ended = subprocess.run(
        [sys.executable, "-m", "fitguard", "fleet", "run", "jobs.yaml", "--local"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        # Its store of objects is a file, which must not be so large.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, 2**20)),
    )
    assert ended.returncode == 2, ended.stderr
    assert "Received --local, but Ray does not start here" in ended.stderr
    assert "fitguard itself failed" not in ended.stderr


def test_without_ray_it_says_how_to_get_it(folder):
    (folder / "jobs.yaml").write_text(JOBS)
    code = "import sys; sys.modules['ray'] = None; from fitguard.cli.main import run; "
    code += "sys.exit(run(['fleet', 'run', 'jobs.yaml', '--local']))"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.returncode == 2
    assert 'pip install "fitguard[ray]"' in ended.stderr


@pytest.mark.soak
def test_killed_its_ray_ends_and_the_next_one_removes_what_is_left(folder, start):
    with tempfile.TemporaryDirectory(dir="/tmp") as place:
        environment = {**os.environ, "TMPDIR": place, "FITGUARD_CARDS": "FakeA:150MiB"}
        fleet = start(JOBS, folder, "--local", environment=environment)
        wait_for(lambda: list(folder.glob("*.txt")), SECONDS)
        (left,) = Path(place).glob("fg-*")
        started = psutil.Process(fleet.pid).children(recursive=True)
        fleet.kill()
        assert not psutil.wait_procs(started, timeout=SECONDS)[1]
        assert left.is_dir()
        (folder / "stop").touch()
        again = start(JOBS, folder, "--local", environment=environment)
        said = again.communicate(timeout=SECONDS)[1]
        assert again.returncode == 0, said
        assert not list(Path(place).glob("fg-*"))
