"""`fitguard fleet run --local`: an embedded Ray that starts and ends with the command."""

import json
import os
import signal
import subprocess
import sys

import psutil
import pytest
from fleet.clusters import find_processes, wait_for

from fitguard.fleet.doors import is_loopback

SECONDS = 200
JOBS = """
defaults: {memory: 100MiB}
jobs:
  - {name: first, run: waits.py first.txt stop}
  - {name: second, run: waits.py second.txt stop}
  - {name: third, run: waits.py third.txt stop}
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
    assert all(map(is_loopback, list_listening(psutil.Process(fleet.pid))))
    started = psutil.Process(fleet.pid).children(recursive=True)
    fleet.send_signal(signal.SIGTERM)
    answer, said = fleet.communicate(timeout=SECONDS)
    assert fleet.returncode == 75, said
    assert {one["state"] for one in json.loads(answer)["trainings"]} == {"left"}
    assert not find_processes(str(folder))
    assert not psutil.wait_procs(started, timeout=SECONDS)[1]


def test_without_ray_it_says_how_to_get_it(folder):
    (folder / "jobs.yaml").write_text(JOBS)
    code = "import sys; sys.modules['ray'] = None; from fitguard.cli.main import run; "
    code += "sys.exit(run(['fleet', 'run', 'jobs.yaml', '--local']))"
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.returncode == 2
    assert 'pip install "fitguard[ray]"' in ended.stderr
