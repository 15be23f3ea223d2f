"""What a node tells of itself, in a small task that runs there: its cards, and the storage."""

import contextlib
import os
import secrets
import socket
from pathlib import Path

import msgspec

from fitguard.facts import nvml
from fitguard.fleet.declared import CARDS_VARIABLE, read_declared
from fitguard.knowledge import knowledge
from fitguard.monitor.run_folder import create_runs_folder
from fitguard.schema.exit_codes import UsageError

_MARKER = ".fleet-"


class NodeCard(msgspec.Struct, frozen=True):
    """A card, as its node tells it.

    Args:
        is_declared: There is no GPU behind it: its memory is that of the host.
        problem: Why nothing can be placed on it; empty for none.
        uuid: As NVML tells it; empty for a declared card.
    """

    index: int
    name: str
    memory_bytes: int
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


def inspect_node(storage: str, marker: str) -> NodeFacts:
    """The cards of this node, and whether it sees the storage that the others see."""
    host = socket.gethostname()
    try:
        cards = _list_cards()
    except UsageError as error:
        return NodeFacts(host, problem=str(error))
    return NodeFacts(host, cards, _find_storage_problem(Path(storage), marker))


def mark_storage(storage: str) -> str:
    """Put a file there that all nodes should see; its name.

    Raises:
        UsageError: where nothing can be written there.
    """
    folder = Path(storage)
    name = f"{_MARKER}{secrets.token_hex(8)}"
    try:
        create_runs_folder(folder)
        (folder / name).write_bytes(b"")
    except OSError as error:
        raise UsageError(
            f"Received --storage {storage}: {error.strerror} on {socket.gethostname()}. Expected a "
            "folder that all nodes see and can write to"
        ) from error
    return name


def unmark_storage(storage: str, marker: str) -> None:
    """Take the file away again."""
    with contextlib.suppress(OSError):
        (Path(storage) / marker).unlink()


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
            uuid=gpu.uuid or "",
            problem=gpu.problem or "",
        )
        for gpu in nvml.read().gpus or ()
    )


def _count_usable(memory_bytes: int, used_bytes: int) -> int:
    kept_bytes = knowledge().gpu_memory.driver_bytes(memory_bytes)
    return max(0, memory_bytes - kept_bytes - used_bytes)


def _find_storage_problem(storage: Path, marker: str) -> str:
    if not (storage / marker).exists():
        return (
            f"it does not see {storage} as the other nodes do. Expected a folder that all nodes "
            "share"
        )
    own = storage / f"{marker}-{secrets.token_hex(4)}"
    try:
        own.write_bytes(b"fleet")
        own.unlink()
    except OSError as error:
        return f"it cannot write to {storage}: {error.strerror}"
    return ""
