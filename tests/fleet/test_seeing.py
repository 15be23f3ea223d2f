"""A fleet at work, seen from other processes: status, watch, and Ray's metrics."""

import contextlib
import importlib.util
import json
import os
import pty
import re
import signal
import subprocess
import sys
import urllib.request

import pytest
import ray
from fleet.clusters import small_cluster, wait_for

import fitguard.fleet
from fitguard.fleet.publishing import list_fleets
from fitguard.schema.exit_codes import UsageError

pytestmark = pytest.mark.soak
SECONDS = 200
JOBS = """
defaults: {memory: 200MiB}
jobs:
  - {name: first, run: waits.py first.txt stop}
  - {name: second, run: waits.py second.txt stop}
"""


@pytest.fixture(scope="module")
def cluster():
    with small_cluster("FakeA:300MiB") as running:
        yield running


@pytest.fixture
def connected(cluster):
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()


@pytest.fixture
def folder(tmp_path, scripts):
    return scripts(tmp_path)


def ask(cluster, *words):
    return subprocess.run(
        [sys.executable, "-m", "fitguard", "fleet", *words, "--address", cluster.address],
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def test_nobody_there(cluster):
    answer = ask(cluster, "status")
    assert answer.returncode == 5
    assert "No fleet is at work" in answer.stderr


def test_status_and_watch(cluster, folder, start):
    fleet = start(JOBS, folder, "--address", cluster.address, "--name", "night")
    wait_for(lambda: (folder / "first.txt").exists() or (folder / "second.txt").exists(), SECONDS)
    watching = subprocess.Popen(
        [sys.executable, "-m", "fitguard", "fleet", "watch", "--json"],
        env={**os.environ, "RAY_ADDRESS": cluster.address},
        stdout=subprocess.PIPE,
        text=True,
    )
    seen = [json.loads(watching.stdout.readline())]
    text = ask(cluster, "status").stdout
    assert re.search(r"FakeA +300.0 MiB +200.0 MiB +(first|second)\b", text), text
    assert "needs 200.0 MiB; held for it: " in " ".join(text.split()), text
    drawn = watch_on_a_terminal(cluster, until="FakeA")
    assert "The fleet is at work" in drawn
    (folder / "stop").touch()
    seen += map(json.loads, watching.stdout)
    assert watching.wait(SECONDS) == 0
    assert {one["name"] for one in seen} == {"night"}
    assert sorted(one["state"] for one in seen[0]["trainings"]) == ["running", "waiting"]
    assert [one["state"] for one in seen[-1]["trainings"]] == ["finished"] * 2
    assert fleet.wait(SECONDS) == 0


def watch_on_a_terminal(cluster, until):
    """What `fleet watch` draws up to this text; then Ctrl-C, which ends it well."""
    ours, its = pty.openpty()
    watching = subprocess.Popen(
        [sys.executable, "-m", "fitguard", "fleet", "watch", "--address", cluster.address],
        env={**os.environ, "COLUMNS": "120", "LINES": "40", "TERM": "xterm"},
        stdout=its,
    )
    os.close(its)
    drawn = ""
    with contextlib.suppress(OSError):  # the terminal is closed
        while part := os.read(ours, 65536):
            if until not in drawn and until in drawn + part.decode(errors="replace"):
                watching.send_signal(signal.SIGINT)
            drawn += part.decode(errors="replace")
    os.close(ours)
    assert watching.wait(SECONDS) == 0
    return drawn


def test_two_fleets_of_one_name_and_an_actor_that_dies(connected, folder, start):
    words = ("--address", connected.address)
    fleets = [start(JOBS.replace("200MiB", "100MiB"), folder, *words)]
    name = folder.name
    wait_for(lambda: list_fleets() == (name,), SECONDS)
    other = folder / "other"
    other.mkdir()
    for script in folder.glob("*.py"):
        (other / script.name).write_text(script.read_text())
    fleets.append(start(JOBS, other, *words, "--name", name))
    wait_for(lambda: list_fleets() == (name, f"{name}-2"), SECONDS)
    with pytest.raises(UsageError, match=f"2 fleets are at work .* {name}, {name}-2"):
        fitguard.fleet.status()
    assert fitguard.fleet.status(name=f"{name}-2").storage == str(other / "fitguard-runs")
    ray.kill(ray.get_actor(f"fleet {name}-2", namespace="fitguard"))
    wait_for(lambda: list_fleets() == (name,), SECONDS)
    wait_for(lambda: list_fleets() != (name,), SECONDS)
    (folder / "stop").touch()
    (other / "stop").touch()
    for fleet in fleets:
        _, said = fleet.communicate(timeout=SECONDS)
        assert fleet.returncode == 0, said


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("opencensus", "opentelemetry")),
    reason='Ray serves metrics only with "ray[default]"',
)
def test_metrics_of_ray(connected, folder, start):
    fleet = start(JOBS, folder, "--address", connected.address, "--name", "night")

    def find():
        text = "".join(map(read_metrics, ray.nodes()))
        lines = [line for line in text.splitlines() if line.startswith("ray_fitguard_fleet_")]
        values = {line.partition("{")[0]: float(line.rpartition(" ")[2]) for line in lines}
        running = [line for line in lines if 'state="running"' in line]
        shown = any(float(line.rpartition(" ")[2]) == 1 for line in running)
        return (values, lines) if shown else None

    values, lines = wait_for(find, SECONDS, every=1.0)
    assert values["ray_fitguard_fleet_card_memory_bytes"] == 300 * 2**20
    assert values["ray_fitguard_fleet_card_promised_bytes"] == 200 * 2**20
    assert all('fleet="night"' in line and "SessionName=" in line for line in lines)
    (folder / "stop").touch()
    fleet.communicate(timeout=SECONDS)


def read_metrics(node):
    address = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.read().decode()
    except OSError:
        return ""
