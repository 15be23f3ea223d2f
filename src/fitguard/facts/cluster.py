"""The processes that train together: what TF_CONFIG says, and who answers now.

Hosts are asked side by side, and no longer than a moment: a peer that has not started yet is no
fault, and a name server that hangs costs its own answer only.
"""

import contextlib
import errno
import os
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from fitguard.facts.environment import CLUSTER
from fitguard.facts.listening import list_listening
from fitguard.facts.tf_config import Unreadable, parse
from fitguard.schema.cluster import Cluster, ClusterTask

LIMIT_SECONDS = 1.0
"""What all questions together may take."""
_SIZES = (
    ("horovodrun", "HOROVOD_SIZE"),
    ("mpirun", "OMPI_COMM_WORLD_SIZE"),
    ("mpirun", "PMI_SIZE"),
)
"""Where launchers leave the number of processes that they start."""


def read(environment: Mapping[str, str], limit_seconds: float = LIMIT_SECONDS) -> Cluster:
    """The cluster that the environment describes."""
    launcher, processes = find_launcher(environment)
    text = environment.get(CLUSTER, "")
    if not text.strip():
        return Cluster(launcher=launcher, processes=processes)
    try:
        told = parse(text)
    except Unreadable as error:
        return Cluster(
            configured=True, unreadable=str(error), launcher=launcher, processes=processes
        )
    return Cluster(
        configured=True,
        role=told.role,
        index=told.index,
        tasks=_ask_all(told.tasks, told.hosts, limit_seconds),
        launcher=launcher,
        processes=processes,
    )


def find_launcher(environment: Mapping[str, str]) -> tuple[str | None, int | None]:
    """What started this process together with others, and how many these are."""
    for launcher, variable in _SIZES:
        size = environment.get(variable, "")
        if size.isdecimal() and int(size) > 1:
            return launcher, int(size)
    return None, None


def _ask_all(
    tasks: Sequence[ClusterTask], hosts: Sequence[str], limit_seconds: float
) -> tuple[ClusterTask, ...]:
    deadline = time.monotonic() + limit_seconds
    answers: dict[int, ClusterTask] = {}
    threads = []
    for number, (task, host) in enumerate(zip(tasks, hosts, strict=True)):
        if task.problem or task.same_as:
            continue

        def look(number: int = number, task: ClusterTask = task, host: str = host) -> None:
            answers[number] = _ask(task, host, deadline)

        # A daemon: one that hangs in the name server does not keep the process alive.
        threads.append(threading.Thread(target=look, name="fitguard-peer", daemon=True))
        threads[-1].start()
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return tuple(answers.get(number, task) for number, task in enumerate(tasks))


def _ask(task: ClusterTask, host: str, deadline: float) -> ClusterTask:
    assert task.port is not None
    try:
        found = socket.getaddrinfo(host, task.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return msgspec.structs.replace(task, resolves=False)
    here = task.loopback or any(_is_own_address(family, where) for family, *_, where in found)
    known = msgspec.structs.replace(task, resolves=True, on_this_host=here)
    if not task.own:
        return msgspec.structs.replace(known, answers=_answers(host, task.port, deadline))
    refused = _why_closed(task.port) if here else ""
    taken = refused == os.strerror(errno.EADDRINUSE)
    return msgspec.structs.replace(
        known,
        refused=refused,
        answers=taken if here else None,
        holder=_find_holder(task.port) if taken else None,
    )


def _is_own_address(family: int, where: tuple[object, ...]) -> bool:
    """Whether a socket of this host can have that address."""
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((where[0], 0, *where[2:]))
    except OSError:
        return False
    return True


def _answers(host: str, port: int, deadline: float) -> bool | None:
    """Whether somebody listens there; None where no time is left to find out."""
    left = deadline - time.monotonic()
    if left <= 0:
        return None
    try:
        socket.create_connection((host, port), timeout=left).close()
    except OSError:
        return False
    return True


def _why_closed(port: int) -> str:
    """Why a server cannot open this port; empty where it can."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a connection that has just ended does not block the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", port))
            probe.listen(1)
        except OSError as error:
            return os.strerror(error.errno or 0)
    return ""


def _find_holder(port: int, root: Path = Path("/proc")) -> str | None:
    """The process that listens there; None where this user may not see it."""
    held = {f"socket:[{number}]" for number in list_listening(port, root) or ()}
    for opened in root.glob("[0-9]*/fd/*") if held else ():
        with contextlib.suppress(OSError):
            if str(opened.readlink()) in held:
                folder = opened.parent.parent
                return f"process {folder.name} ({(folder / 'comm').read_text().strip()})"
    return None
