"""TF_CONFIG: what is written, and what schedulers write."""

import json
import socket

import pytest

from fitguard.schema.exit_codes import UsageError
from fitguard.schema.gang import Ready
from fitguard.supervise.gang.cluster import (
    build_config,
    choose_address,
    is_listened_to,
    name_network,
    read_given_cluster,
)


def config(cluster, kind="worker", index=0):
    return json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})


def ready(worker, network, address, *, given=False):
    return Ready(worker=worker, life="a", network=network, address=address, given=given)


@pytest.mark.parametrize("text", ["", "  ", "{}", '{"task": {"type": "worker", "index": 0}}'])
def test_without_a_cluster_nothing_is_given(text):
    assert read_given_cluster(text) is None


def test_workers_are_numbered_as_tensorflow_does_it():
    cluster = {"chief": ["a:1"], "worker": ["b:2", "c:3"]}
    found = [
        read_given_cluster(config(cluster, "chief")),
        read_given_cluster(config(cluster, "worker", 0)),
        read_given_cluster(config(cluster, "worker", 1)),
    ]
    assert [one.worker for one in found] == [0, 1, 2]
    assert [one.address for one in found] == ["a:1", "b:2", "c:3"]
    assert {one.workers for one in found} == {3}


def test_an_evaluator_beside_them_does_not_count():
    cluster = {"worker": ["b:2", "c:3"], "evaluator": ["d:4"]}
    assert read_given_cluster(config(cluster, index=1)).workers == 2


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "it is not JSON"),
        ("[1]", "it is a JSON list, not an object"),
        ('{"cluster": {"worker": "a:1"}}', "its `worker` is a JSON string, not a list"),
        (config({"worker": ["a:1", "b"]}), "the address of worker 1 cannot be used: it is not"),
        (config({"worker": ["a:1", "a:1"]}), "cannot be used: it is that of worker 0"),
        (config({"worker": ["a:1"], "ps": ["b:2"]}), "'ps' does not train"),
        (config({"worker": ["a:1"], "evaluator": ["b:2"]}, "evaluator"), "'evaluator' does not"),
        (config({"worker": ["a:1"]}, index=1), "its cluster has no worker 1"),
        (config({"worker": ["a:1"]}, index=-1), "its cluster has no worker -1"),
    ],
)
def test_what_cannot_be_obeyed_is_refused(text, problem):
    with pytest.raises(UsageError, match="Received TF_CONFIG=") as refused:
        read_given_cluster(text)
    assert problem in str(refused.value)


def test_workers_in_one_place_meet_there():
    both = [ready(1, "here", "10.0.0.1:2222"), ready(0, "here", "10.0.0.1:1111")]
    assert json.loads(build_config(both, 1)) == {
        "cluster": {"worker": ["127.0.0.1:1111", "127.0.0.1:2222"]},
        "task": {"type": "worker", "index": 1},
    }


def test_tensorflow_counts_those_that_train():
    both = [ready(3, "here", "10.0.0.1:2222"), ready(1, "there", "10.0.0.2:1111")]
    assert json.loads(build_config(both, 3)) == {
        "cluster": {"worker": ["10.0.0.2:1111", "10.0.0.1:2222"]},
        "task": {"type": "worker", "index": 1},
    }


@pytest.mark.parametrize("networks", [("here", "there"), ("", "")])
def test_others_meet_at_their_addresses(networks):
    both = [ready(0, networks[0], "10.0.0.1:1111"), ready(1, networks[1], "10.0.0.2:2222")]
    assert json.loads(build_config(both, 0))["cluster"]["worker"] == [
        "10.0.0.1:1111",
        "10.0.0.2:2222",
    ]


def test_an_address_can_be_used_at_once():
    _, _, port = choose_address().rpartition(":")
    with socket.socket() as one:
        one.bind(("", int(port)))


def test_who_listens_is_seen():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        address = f"elsewhere:{one.getsockname()[1]}"
        assert is_listened_to(address) is False
        one.listen()
        assert is_listened_to(address) is True
    assert is_listened_to("no port") is None


def test_one_machine_has_one_network():
    assert name_network() == name_network() != ""
