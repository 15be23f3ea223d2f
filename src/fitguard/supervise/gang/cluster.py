"""TF_CONFIG: what TensorFlow is told of the workers, and what a scheduler may have told already."""

import contextlib
import random
import socket
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from fitguard.facts.listening import list_listening
from fitguard.facts.tf_config import Unreadable, parse
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.gang import Ready
from fitguard.supervise.lease_owner import read_boot, read_namespace

TF_CONFIG = "TF_CONFIG"
_TRAINING = ("chief", "worker")
"""The kinds of tasks that train, in the order in which TensorFlow numbers them."""
_FIRST_PORT, _LAST_PORT = 10_000, 32_767
"""Below those that the kernel hands out: none of them is taken between choice and use."""
_TRIES = 100


class _Task(msgspec.Struct, frozen=True):
    type: str
    index: int


class _Config(msgspec.Struct, frozen=True):
    cluster: dict[str, tuple[str, ...]]
    task: _Task


@dataclass(frozen=True)
class GivenCluster:
    """What TF_CONFIG says.

    Args:
        text: Itself.
        address: Of this worker.
    """

    text: str
    worker: int
    workers: int
    address: str


def read_given_cluster(text: str) -> GivenCluster | None:
    """What TF_CONFIG says of this worker; None where it is not set, or names no cluster.

    Raises:
        UsageError: where it cannot be read, or is not that of workers that train alike.
    """
    if not text.strip():
        return None
    try:
        told = parse(text)
    except Unreadable as error:
        raise _refuse(text, str(error)) from error
    if not told.tasks:
        return None
    strange = sorted({task.role for task in told.tasks} - {*_TRAINING, "evaluator"})
    if strange or told.role not in _TRAINING:
        kind = strange[0] if strange else told.role
        raise _refuse(
            text, f"a task of the type {kind!r} does not train as MultiWorkerMirroredStrategy does"
        )
    known = list(zip(told.tasks, told.hosts, strict=True))
    training = [one for kind in _TRAINING for one in known if one[0].role == kind]
    for task, _ in training:
        if problem := task.problem or (task.same_as and f"it is that of {task.same_as}"):
            raise _refuse(text, f"the address of {task.name} cannot be used: {problem}")
    for number, (task, host) in enumerate(training):
        if task.own:
            place = f"[{host}]" if ":" in host else host
            return GivenCluster(text, number, len(training), f"{place}:{task.port}")
    raise _refuse(text, f"its cluster has no {told.role} {told.index}")


def _refuse(text: str, problem: str) -> UsageError:
    return UsageError(
        f"Received {TF_CONFIG}={text[:200]}: {problem}. Expected "
        '{"cluster": {"worker": ["HOST:PORT", …]}, "task": {"type": "worker", "index": 0}}'
    )


def build_config(ready: Iterable[Ready], worker: int) -> str:
    """TF_CONFIG of one worker, once all who train are ready: TensorFlow counts those alone."""
    known = sorted(ready, key=lambda one: one.worker)
    index = [one.worker for one in known].index(worker)
    in_one_place = len({one.network for one in known}) == 1 and known[0].network != ""
    addresses = [
        f"127.0.0.1:{one.address.rpartition(':')[2]}"
        if in_one_place and not one.given
        else one.address
        for one in known
    ]
    config = _Config({"worker": tuple(addresses)}, _Task("worker", index))
    return msgspec.json.encode(config).decode()


def choose_address() -> str:
    """Where others reach a training of this machine: its own address, and a port that is free."""
    return f"{_find_own_address()}:{_find_port()}"


def _find_own_address() -> str:
    """The one that packets to others leave from; none is sent."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # an address that belongs to nobody: RFC 5737
        return str(probe.getsockname()[0])
    return socket.gethostname()


def _find_port() -> int:
    draw = random.SystemRandom()
    for _ in range(_TRIES):
        port = draw.randint(_FIRST_PORT, _LAST_PORT)
        with contextlib.suppress(OSError), socket.socket() as trial:
            trial.bind(("", port))
            return port
    raise OSError(f"no port between {_FIRST_PORT} and {_LAST_PORT} is free")


def name_network() -> str:
    """The same for all that reach each other as 127.0.0.1; empty where that is not known."""
    boot, namespace = read_boot(), read_namespace("net")
    return f"{boot}/{namespace}" if boot and namespace else ""


def is_listened_to(address: str) -> bool | None:
    """Whether a process of this machine waits at this port; None where that cannot be told."""
    port = address.rpartition(":")[2]
    sockets = list_listening(int(port)) if port.isdecimal() else None
    return bool(sockets) if sockets is not None else None
