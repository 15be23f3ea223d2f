"""The cheapest way on each of the devices that share a step."""

from collections.abc import Hashable, Sequence

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.shelves import NO_SHELVES
from fitguard.memory.graph.updates import Handles
from fitguard.memory.recomputing.choosing import Ways
from fitguard.memory.recomputing.edit import Edit, transfer_edit
from fitguard.memory.recomputing.paper import Paper
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.repeatable import is_backward
from fitguard.memory.recomputing.rooms import split_by_device


def choose(
    nodes: Sequence[Node],
    share: float,
    of_bytes: int = 0,
    *,
    handles: Handles | None = None,
    is_compiled: bool = False,
) -> Recomputation | None:
    """The cheapest that takes at most this share of what the step takes on the fullest device.

    Where nothing takes so little, the one that takes least; None where nothing can be won. No
    operation is computed again on another device than its own.

    Args:
        of_bytes: What a whole step takes, where these are the nodes of another one, such as that of
            the last batch, which is smaller.
        handles: The nodes that stand for variables.
        is_compiled: By XLA.
    """
    alike: dict[Hashable, list[list[Node]]] = {}
    every = split_by_device(nodes)
    for room in every:
        alike.setdefault(_describe(room), []).append(room)
    in_pieces = len(every) == 1 and not is_compiled
    known = handles if handles and in_pieces else {}
    tried = [Ways(Paper(first, known, in_pieces=in_pieces)) for first, *_ in alike.values()]
    whole = max(ways.whole_bytes for ways in tried)
    found = [ways.choose(share, of_bytes or whole) for ways in tried]
    needed = [
        ways.whole_bytes if way is None else way.needed_bytes
        for ways, way in zip(tried, found, strict=True)
    ]
    edits: list[Edit] = []
    shelves = next((way.shelves for way in found if way is not None), NO_SHELVES)
    for way, rooms in zip(found, alike.values(), strict=True):
        edits += _edit_all(way, rooms) if way is not None else []
    if not any(found) or (edits and max(needed) >= whole):
        return None
    extra = max(way.extra for way in found if way)
    return Recomputation(tuple(edits), max(needed), whole, extra, shelves)


def _describe(room: Sequence[Node]) -> Hashable:
    """The same for replicas that do the same with as many rows."""
    numbers = {node: number for number, node in enumerate(room)}
    return tuple(
        (
            node.op,
            is_backward(node),
            node.shapes,
            tuple(node.sizes),
            tuple((numbers[producer], index) for producer, index in node.inputs),
            tuple(numbers[before] for before in node.controls),
        )
        for node in room
    )


def _edit_all(way: Recomputation, rooms: Sequence[list[Node]]) -> list[Edit]:
    first, *others = rooms
    edits = list(way.edits)
    for room in others:
        twins = dict(zip(first, room, strict=True))
        edits += [transfer_edit(edit, twins) for edit in way.edits]
    return edits
