"""TF_CONFIG: which processes train together, and which of them this one is. Nothing is asked."""

import json
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from fitguard.schema.cluster import ClusterTask

_ADDRESS = re.compile(r"(?P<host>\[[0-9a-fA-F:.%]+\]|[^\s:/\[\]]+):(?P<port>\d{1,5})")
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|::1|\[::1\]")
_HIGHEST_PORT = 65535
_LONGEST = 60


class Unreadable(ValueError):
    """TF_CONFIG is not what TensorFlow expects; the message says how."""


@dataclass(frozen=True)
class Configured:
    """TF_CONFIG as it was read.

    Args:
        hosts: The host of each task, in the same order; empty where an address has none.
    """

    role: str | None
    index: int | None
    tasks: tuple[ClusterTask, ...]
    hosts: tuple[str, ...]


def parse(text: str) -> Configured:
    """What TF_CONFIG says.

    Raises:
        Unreadable: where TensorFlow could not read it either.
    """
    try:
        told = json.loads(text)
    except RecursionError:
        raise Unreadable("it is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(f"it is not JSON: {error}") from None
    if not isinstance(told, dict):
        raise Unreadable(f"it is a JSON {_kind(told)}, not an object")
    role, index = _read_task(told.get("task"))
    tasks: list[ClusterTask] = []
    hosts: list[str] = []
    seen: dict[str, str] = {}
    for task_role, number, address in _list_addresses(told.get("cluster")):
        name = f"{task_role} {number}"
        host, port, problem = _split(address)
        same_as = seen.setdefault(str(address), name)
        tasks.append(
            ClusterTask(
                name=name,
                role=task_role,
                index=number,
                own=(task_role, number) == (role, index),
                port=port,
                problem=problem,
                same_as=None if same_as == name or problem else same_as,
                loopback=_LOOPBACK.fullmatch(host.lower()) is not None,
            )
        )
        hosts.append(host)
    return Configured(role, index, tuple(tasks), tuple(hosts))


def _read_task(task: Any) -> tuple[str | None, int | None]:
    if task is None:
        return None, None
    if not isinstance(task, dict):
        raise Unreadable(f"its `task` is a JSON {_kind(task)}, not an object")
    role, index = task.get("type"), task.get("index")
    if index is not None:
        try:
            index = int(index)
        except (TypeError, ValueError):
            raise Unreadable(f"the index of its `task` is {_short(index)}, not a number") from None
    return None if role is None else str(role), index


def _list_addresses(cluster: Any) -> list[tuple[str, int, Any]]:
    if cluster is None:
        return []
    if not isinstance(cluster, dict):
        raise Unreadable(f"its `cluster` is a JSON {_kind(cluster)}, not an object")
    found: list[tuple[str, int, Any]] = []
    for role, addresses in cluster.items():
        if isinstance(addresses, list):
            found += [(role, number, address) for number, address in enumerate(addresses)]
        elif isinstance(addresses, dict):
            found += [(role, _number(role, key), value) for key, value in addresses.items()]
        else:
            raise Unreadable(f"its `{role}` is a JSON {_kind(addresses)}, not a list of addresses")
    twice = [
        name for name, times in Counter((role, n) for role, n, _ in found).items() if times > 1
    ]
    if twice:
        raise Unreadable(f"it has {twice[0][0]} {twice[0][1]} twice")
    return found


def _number(role: str, key: str) -> int:
    try:
        return int(key)
    except ValueError:
        raise Unreadable(f"its `{role}` has the key {_short(key)}, which is no number") from None


def _split(address: Any) -> tuple[str, int | None, str]:
    """Host, port, and what is wrong."""
    found = _ADDRESS.fullmatch(address) if isinstance(address, str) else None
    if found is None:
        return "", None, "it is not HOST:PORT"
    port = int(found["port"])
    if not 0 < port <= _HIGHEST_PORT:
        return found["host"], None, f"there is no port {port}"
    return found["host"].strip("[]"), port, ""


def _kind(value: Any) -> str:
    names = {list: "list", str: "string", dict: "object", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
