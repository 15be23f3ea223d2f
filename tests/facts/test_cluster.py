import json
import os
import socket
import sys
import threading
from collections.abc import Iterator

import pytest

from fitguard.facts import cluster
from fitguard.schema.cluster import Cluster

LONGEST_SECONDS = 30.0


@pytest.fixture
def taken() -> Iterator[int]:
    """A port at which somebody listens."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        yield listening.getsockname()[1]


@pytest.fixture
def free() -> int:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port: int = closed.getsockname()[1]
    return port


def read(*workers: str, index: int = 0) -> Cluster:
    told = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": index}}
    return cluster.read({"TF_CONFIG": json.dumps(told)}, limit_seconds=LONGEST_SECONDS)


def test_nothing_is_configured() -> None:
    assert cluster.read({}) == Cluster()
    assert cluster.read({"TF_CONFIG": " "}) == Cluster()


def test_the_own_port_is_free_and_a_peer_answers(free: int, taken: int) -> None:
    found = read(f"127.0.0.1:{free}", f"localhost:{taken}")
    own, (peer,) = found.own, found.peers
    assert own
    assert (own.resolves, own.on_this_host, own.answers, own.refused) == (True, True, False, "")
    assert (peer.resolves, peer.on_this_host, peer.answers) == (True, True, True)


def test_the_own_port_is_taken(taken: int, free: int) -> None:
    found = read(f"127.0.0.1:{taken}", f"127.0.0.1:{free}")
    own, (peer,) = found.own, found.peers
    assert own
    assert own.answers
    assert own.refused == "Address already in use"
    assert own.holder
    assert f"process {os.getpid()} (" in own.holder
    assert peer.answers is False


def test_a_port_that_has_just_been_used_is_free(free: int) -> None:
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", free))
        listening.listen()
        with socket.create_connection(("127.0.0.1", free)):
            accepted, _ = listening.accept()
            accepted.close()
    own = read(f"127.0.0.1:{free}").own
    assert own
    assert not own.refused


def test_a_host_that_nobody_knows(free: int) -> None:
    found = read(f"127.0.0.1:{free}", "no-such-host.invalid:2222")
    assert found.peers[0].resolves is False
    assert found.peers[0].answers is None


def test_the_address_of_another_machine() -> None:
    own = read("192.0.2.1:2222").own  # for documentation: no machine has it
    assert own
    assert (own.on_this_host, own.answers) == (False, None)


def test_questions_that_hang_cost_their_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def hang(*_: object, **__: object) -> None:
        over.wait()
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    told = {"cluster": {"worker": ["a:1", "b:1"]}, "task": {"type": "worker", "index": 0}}
    found = cluster.read({"TF_CONFIG": json.dumps(told)}, limit_seconds=0.1)
    over.set()
    assert [task.resolves for task in found.tasks] == [None, None]


def test_what_cannot_be_read() -> None:
    found = cluster.read({"TF_CONFIG": "{,"})
    assert found.configured
    assert found.unreadable.startswith("it is not JSON")


@pytest.mark.parametrize(
    ("environment", "launcher", "processes"),
    [
        ({"HOROVOD_SIZE": "4", "OMPI_COMM_WORLD_SIZE": "4"}, "horovodrun", 4),
        ({"OMPI_COMM_WORLD_SIZE": "2"}, "mpirun", 2),
        ({"PMI_SIZE": "3"}, "mpirun", 3),
        ({"OMPI_COMM_WORLD_SIZE": "1"}, None, None),
        ({"HOROVOD_SIZE": "many"}, None, None),
    ],
)
def test_launchers(
    environment: dict[str, str], launcher: str | None, processes: int | None
) -> None:
    found = cluster.read(environment)
    assert (found.launcher, found.processes) == (launcher, processes)


@pytest.mark.skipif(sys.platform != "linux", reason="ports below 1024 are closed on Linux")
@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may open every port")
def test_a_port_for_root_only() -> None:
    own = read("127.0.0.1:81").own
    assert own
    assert (own.answers, own.refused) == (False, "Permission denied")
