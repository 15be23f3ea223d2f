"""What a node tells of itself, in a small task that runs there: its cards, and the storage."""

import os
import socket

import msgspec

from fitguard.checks.derived.visible_gpus import visible
from fitguard.facts import nvml
from fitguard.facts.processes import read_environment
from fitguard.fleet.declared import CARDS_VARIABLE, read_declared
from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.opening import MarkedStorage, open_storage
from fitguard.knowledge import knowledge
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu


class NodeCard(msgspec.Struct, frozen=True):
    """A card, as its node tells it.

    Args:
        memory_bytes: That nobody used when it was looked at; `used_bytes`, that others did.
        is_declared: There is no GPU behind it: its memory is that of the host.
        problem: Why nothing can be placed on it; empty for none.
        uuid: As NVML tells it; empty for a declared card.
    """

    index: int
    name: str
    memory_bytes: int
    used_bytes: int = 0
    is_declared: bool = False
    uuid: str = ""
    problem: str = ""


class NodeFacts(msgspec.Struct, frozen=True):
    """A node, as it tells of itself.

    Args:
        problem: Why no training can run there; empty for none.
    """

    host: str
    cards: tuple[NodeCard, ...] = ()
    problem: str = ""


def inspect_node(storage: MarkedStorage) -> NodeFacts:
    """The cards of this node, and whether it sees the storage that the others see."""
    host = socket.gethostname()
    try:
        cards = _list_cards()
    except UsageError as error:
        return NodeFacts(host, problem=str(error))
    return NodeFacts(host, cards, _find_storage_problem(storage))


def mark_storage(storage: str) -> MarkedStorage:
    """Put something there that all nodes should see.

    Raises:
        UsageError: where nothing can be written there.
    """
    return MarkedStorage(storage, open_storage(storage).mark())


def unmark_storage(storage: MarkedStorage) -> None:
    """Take it away again."""
    open_storage(storage.name).unmark(storage.marker)


def read_records(storage: str, runs: tuple[str, ...]) -> dict[str, RunRecord]:
    """The record of each of these runs."""
    return open_storage(storage).read_records(runs)


def select_visible(gpus: tuple[Gpu, ...], raylet: int) -> tuple[Gpu, ...]:
    """Those that Ray may give: its raylet was started with the variable."""
    kept: tuple[Gpu, ...] = visible(gpus, Facts(environment=read_environment(raylet))).gpus
    return kept


def _list_cards() -> tuple[NodeCard, ...]:
    declared = read_declared(os.environ.get(CARDS_VARIABLE, ""))
    if declared:
        return tuple(
            NodeCard(index, name, memory_bytes, is_declared=True)
            for index, (name, memory_bytes) in enumerate(declared)
        )
    return tuple(
        NodeCard(
            gpu.index,
            gpu.name or "GPU",
            _count_usable(gpu.memory_bytes or 0, gpu.used_bytes or 0),
            gpu.used_bytes or 0,
            uuid=gpu.uuid or "",
            problem=gpu.problem or "",
        )
        for gpu in select_visible(nvml.read().gpus or (), raylet=os.getppid())
    )


def _count_usable(memory_bytes: int, used_bytes: int) -> int:
    kept_bytes = knowledge().gpu_memory.driver_bytes(memory_bytes)
    return max(0, memory_bytes - kept_bytes - used_bytes)


def _find_storage_problem(storage: MarkedStorage) -> str:
    try:
        return open_storage(storage.name).find_problem(storage.marker)
    except UsageError as error:
        return str(error)
