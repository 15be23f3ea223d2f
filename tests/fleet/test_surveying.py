"""Doctor and probe on the nodes of a real Ray cluster: three raylets on this machine."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest
from fleet.clusters import small_cluster

import fitguard.fleet
from fitguard.schema.exit_codes import UsageError

PATIENT_SECONDS = 120.0
ANSWERED = ("fine", "warnings", "errors")


@pytest.fixture(scope="module")
def cluster():
    """A head, and two nodes that say that they have GPUs."""
    with small_cluster("FakeA:1GiB", "FakeA:1GiB,FakeB:1GiB") as made:
        yield made


@contextmanager
def stopped(node):
    """Its raylet does nothing meanwhile, as on a machine that stands still."""
    pid = node.all_processes["raylet"][0].process.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def run(cluster, *words):
    return subprocess.run(
        [sys.executable, "-m", "fitguard", "fleet", *words, "--address", cluster.address],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.soak
def test_every_node_answers(cluster):
    survey = fitguard.fleet.doctor(cluster.address, seconds=PATIENT_SECONDS)
    assert {one.state for one in survey.nodes} <= set(ANSWERED), survey
    assert len({one.name for one in survey.nodes}) == 3
    (python,) = {one.traits["Python"] for one in survey.nodes}
    assert python == ".".join(map(str, sys.version_info[:3]))
    (left_out,) = (one for one in survey.differences if one.what == "GPUs left out")
    assert {shared.value for shared in left_out.values} == {
        "none",
        "Ray counts 1, the driver shows 0",
        "Ray counts 2, the driver shows 0",
    }
    for shared in survey.findings:
        assert len(shared.nodes) == 3, "all are on this machine"


@pytest.mark.soak
def test_a_node_that_stands_still_is_a_result(cluster):
    node = cluster.nodes[0]
    with stopped(node):
        survey = fitguard.fleet.doctor(cluster.address, seconds=5)
    assert not survey.ok
    assert len(survey.nodes) == 3
    (still,) = (one for one in survey.nodes if one.node == node.node_id)
    assert (still.state, still.why) == ("no-answer", "no answer after 5 s")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "[::1]:1", "a:99999"])
def test_there_is_no_cluster(address):
    with pytest.raises(UsageError, match="Expected that of a Ray cluster"):
        fitguard.fleet.doctor(address)


def test_long_probes_are_for_one_node():
    with pytest.raises(UsageError, match="Expected quick or medium"):
        fitguard.fleet.probe(level="long")


@pytest.mark.soak
def test_the_command_for_the_doctor(cluster, tmp_path):
    done = run(cluster, "doctor", "--format", "json", "--show-private")
    document = json.loads(done.stdout)
    assert document["schema"] == "fitguard/fleet-survey/1"
    assert len(document["nodes"]) == 3
    assert done.returncode == (3 if not document["ok"] else 0), done.stderr
    assert run(cluster, "doctor", "--fail-on", "warning").returncode == 3, "a node is different"
    page = tmp_path / "nodes.html"
    run(cluster, "doctor", "--output", str(page), "--fail-on", "never")
    assert "What differs between nodes" in page.read_text()


@pytest.mark.soak
def test_the_command_for_probes(cluster):
    done = run(cluster, "probe", "--only", "matmul-float32", "--seconds", "300", "--format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert {one["state"] for one in document["nodes"]} <= {"fine", "warnings"}


@pytest.mark.soak
def test_a_stopped_node_is_told_by_the_commands(cluster):
    with stopped(cluster.nodes[0]):
        judged = run(cluster, "doctor", "--seconds", "4")
        probed = run(cluster, "probe", "--only", "matmul-float32", "--seconds", "4")
    assert judged.returncode == 3
    assert "no answer after 4 s" in judged.stdout
    assert probed.returncode == 4
    assert "no answer after 4 s; its GPUs may be in use" in probed.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["doctor", "--seconds", "0"], "Received --seconds 0"),
        (["doctor", "--format", "sarif"], "Received --format sarif"),
        (["probe", "--level", "long"], "long"),
    ],
)
def test_wrong_usage(words, said, capsys):
    from fitguard.cli.main import run as run_here

    assert run_here(["fleet", *words]) == 2
    assert said in capsys.readouterr().err
