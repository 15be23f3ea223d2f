"""A step that several devices share, taken apart: memory is that of one device."""

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import NOTHING

ARRIVAL = "_Recv"
"""TensorFlow's operation for what another device has sent."""
_GIVEN = frozenset(("Placeholder", "Const"))
"""These are there on each device that reads them."""
Place = tuple[str, int]
"""The kind of a device, and its number."""
Places = dict[Node, Place | None]
_DEVICE = re.compile(r"device:(\w+):(\d+)")


def split_by_device(nodes: Sequence[Node]) -> list[list[Node]]:
    """What runs on each GPU, or on each CPU where there is no GPU; on one device, all of it.

    Each is a graph of its own, of nodes with the same names. What the device gets from others
    arrives in it when what it was made of is there.
    """
    places = _find_places(nodes)
    devices = set(filter(None, places.values()))
    kind = "GPU" if any(kind == "GPU" for kind, _ in devices) else "CPU"
    rooms = sorted(device for device in devices if device[0] == kind)
    if len(rooms) < 2:
        return [list(nodes)]
    return [_take_room(nodes, _list_inside(nodes, places, room)) for room in rooms]


def _find_places(nodes: Sequence[Node]) -> Places:
    """Where each node runs. One that was told nothing runs where it is read: mostly a variable."""
    places = {node: _read_device(node) for node in nodes}
    readers: dict[Node, list[Node]] = {}
    for node in nodes:
        for producer, _ in node.inputs:
            readers.setdefault(producer, []).append(node)
    for node in reversed(nodes):
        places[node] = places[node] or _first(places[one] for one in readers.get(node, ()))
    for node in nodes:
        places[node] = places[node] or _first(places[producer] for producer, _ in node.inputs)
    return places


def _read_device(node: Node) -> Place | None:
    found = _DEVICE.search(node.device)
    return (found.group(1).upper(), int(found.group(2))) if found else None


def _first(places: Iterable[Place | None]) -> Place | None:
    return next(filter(None, places), None)


def _list_inside(nodes: Sequence[Node], places: Places, room: Place) -> set[Node]:
    inside = {node for node in nodes if places[node] == room}
    read = {before for node in inside for before in _list_before(node)}
    return inside | {node for node in read if node.op in _GIVEN}


def _list_before(node: Node) -> list[Node]:
    """What must have run before a node."""
    return [*(producer for producer, _ in node.inputs), *node.controls]


def _take_room(nodes: Sequence[Node], inside: Set[Node]) -> list[Node]:
    here = {node: replace(node) for node in nodes if node in inside}
    causes = _find_causes(nodes, here.keys())
    known, room = dict(here), list[Node]()
    for node, clone in here.items():
        for one in _list_before(node):
            if one in known:
                continue
            # What does not come of anything here comes together with what it is computed with.
            with_it = [here[producer] for producer, _ in node.inputs if producer in here]
            waits = [here[cause] for cause in causes[one]] or with_it
            known[one] = replace(one, op=ARRIVAL, inputs=[], controls=waits)
            known[one].sizes = [NOTHING] * len(one.sizes)
            room.append(known[one])
        for producer, index in node.inputs:
            if producer not in here:
                known[producer].sizes[index : index + 1] = producer.sizes[index : index + 1]
        clone.inputs = [(known[producer], index) for producer, index in node.inputs]
        clone.controls = [known[before] for before in node.controls]
        room.append(clone)
    return room


def _find_causes(nodes: Sequence[Node], here: Set[Node]) -> dict[Node, list[Node]]:
    """Of what is made elsewhere, the last of here that it is made of."""
    causes: dict[Node, list[Node]] = {}
    for node in nodes:
        if node in here:
            continue
        found: dict[Node, None] = {}
        for before in _list_before(node):
            found |= dict.fromkeys([before] if before in here else causes.get(before, ()))
        causes[node] = list(found)
    return causes
