"""FG706: what TF_CONFIG says; read from real values, and nobody is asked."""

import json

import pytest

from fitguard.checks.framework.testing import run
from fitguard.facts import cluster
from fitguard.schema.facts import Facts

TWO = ["a:2222", "b:2222"]


def judged(told, **task):
    if not isinstance(told, str):
        told = json.dumps({"cluster": told, "task": task})
    found = cluster.read({"TF_CONFIG": told}, limit_seconds=0)
    return run("FG706", Facts(cluster=found))


@pytest.mark.parametrize("index", [0, 1, "1"])
def test_two_workers(index):
    assert judged({"worker": TWO}, type="worker", index=index).passed == ("FG706",)


@pytest.mark.parametrize(
    ("roles", "task"),
    [
        ({"chief": ["a:1"], "worker": ["b:1"]}, ("chief", 0)),
        ({"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}, ("ps", 0)),
        ({"worker": TWO}, ("evaluator", 0)),
        ({"worker": ["localhost:1", "localhost:2"]}, ("worker", 1)),
    ],
)
def test_other_clusters(roles, task):
    assert judged(roles, type=task[0], index=task[1]).passed == ("FG706",)


@pytest.mark.parametrize(
    ("roles", "task", "title"),
    [
        ({"worker": TWO}, {}, "does not say who this process is: its task has no type"),
        ({"worker": TWO}, {"type": "worker"}, "its task has no index"),
        (
            {"worker": TWO},
            {"type": "worker", "index": 2},
            "TF_CONFIG calls this process worker 2, but has 2 of them, counted from 0",
        ),
        (
            {"worker": TWO},
            {"type": "chief", "index": 0},
            "TF_CONFIG calls this process a chief, but its cluster has none",
        ),
        (
            {"worker": ["a:1", "a:1"]},
            {"type": "worker", "index": 0},
            "TF_CONFIG gives worker 1 the address of worker 0",
        ),
        (
            {"worker": ["a", "b:1"]},
            {"type": "worker", "index": 0},
            "The address of worker 0 in TF_CONFIG is wrong: it is not HOST:PORT",
        ),
        (
            {"worker": ["localhost:1", "b:1"]},
            {"type": "worker", "index": 0},
            "TF_CONFIG calls worker 0 localhost, which worker 1 cannot reach",
        ),
        (
            {"workers": TWO},
            {"type": "workers", "index": 0},
            "TF_CONFIG has the role workers; TensorFlow knows chief, worker, ps, evaluator",
        ),
        (
            {"chief": TWO, "worker": ["c:1"]},
            {"type": "chief", "index": 0},
            "TF_CONFIG has 2 chiefs; there can be one",
        ),
        (
            {"chief": ["a:1"], "ps": ["c:1"]},
            {"type": "chief", "index": 0},
            "TF_CONFIG has parameter servers (ps), but no worker",
        ),
    ],
)
def test_what_cannot_train(roles, task, title):
    (finding,) = judged(roles, **task).findings
    assert finding.severity == "error"
    assert title in finding.title
    assert "a:" not in finding.evidence[0].text


def test_what_is_no_json():
    (finding,) = judged("{,").findings
    assert finding.title.startswith("TF_CONFIG cannot be read: it is not JSON")


def test_no_cluster():
    (finding,) = judged("{}").findings
    assert finding.severity == "warning"
    assert finding.fix.commands == ("unset TF_CONFIG",)


def test_one_worker():
    (finding,) = judged({"worker": ["a:1"]}, type="worker", index=0).findings
    assert (finding.severity, finding.title) == (
        "info",
        "TF_CONFIG names one worker: it trains alone",
    )


def test_skipped():
    assert run("FG706", Facts(cluster=cluster.read({}))).skipped[0].reason == "TF_CONFIG is not set"
    assert run("FG706", Facts()).skipped
