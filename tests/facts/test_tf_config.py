import json

import pytest

from fitguard.facts.tf_config import Unreadable, parse


def configure(cluster: object, **task: object) -> str:
    return json.dumps({"cluster": cluster, "task": task})


def test_two_workers() -> None:
    told = parse(
        configure({"worker": ["a.example:2222", "[fe80::1]:2223"]}, type="worker", index=1)
    )
    assert (told.role, told.index) == ("worker", 1)
    assert [task.name for task in told.tasks] == ["worker 0", "worker 1"]
    assert [task.own for task in told.tasks] == [False, True]
    assert [task.port for task in told.tasks] == [2222, 2223]
    assert told.hosts == ("a.example", "fe80::1")


def test_an_index_may_be_text_and_a_cluster_sparse() -> None:
    told = parse(configure({"worker": {"0": "a:1", "3": "b:1"}}, type="worker", index="3"))
    assert [(task.name, task.own) for task in told.tasks] == [
        ("worker 0", False),
        ("worker 3", True),
    ]


def test_an_address_that_comes_twice() -> None:
    told = parse(configure({"chief": ["a:1"], "worker": ["b:1", "a:1"]}, type="chief", index=0))
    assert [task.same_as for task in told.tasks] == [None, None, "chief 0"]


@pytest.mark.parametrize(
    ("address", "problem"),
    [
        ("host", "it is not HOST:PORT"),
        ("http://host:80", "it is not HOST:PORT"),
        ("host:70000", "there is no port 70000"),
        ("host:0", "there is no port 0"),
        (7, "it is not HOST:PORT"),
        (None, "it is not HOST:PORT"),
    ],
)
def test_wrong_addresses(address: object, problem: str) -> None:
    (task,) = parse(configure({"worker": [address]}, type="worker", index=0)).tasks
    assert (task.problem, task.port) == (problem, None)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "LOCALHOST", "[::1]"])
def test_loopback(host: str) -> None:
    (task,) = parse(configure({"worker": [f"{host}:1"]})).tasks
    assert task.loopback


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{,", "it is not JSON: Expecting property name"),
        ("[1]", "it is a JSON list, not an object"),
        ("null", "it is a JSON null"),
        ('{"cluster": "a:1"}', "its `cluster` is a JSON string"),
        ('{"cluster": {"worker": "a:1"}}', "its `worker` is a JSON string, not a list"),
        ('{"cluster": {"worker": {"x": "a:1"}}}', 'the key "x", which is no number'),
        ('{"cluster": {"worker": {"0": "a:1", "00": "b:1"}}}', "it has worker 0 twice"),
        ('{"task": "worker"}', "its `task` is a JSON string"),
        ('{"task": {"index": "first"}}', 'the index of its `task` is "first", not a number'),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_read(text: str, told: str) -> None:
    with pytest.raises(Unreadable) as raised:
        parse(text)
    assert told in str(raised.value)
