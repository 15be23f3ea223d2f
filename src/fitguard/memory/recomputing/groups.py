"""What is computed again together."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from functools import partial

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.expense import EXPENSIVE, expense
from fitguard.memory.recomputing.graph import SMALL_BYTES, Output, size_of_output
from fitguard.memory.recomputing.repeatable import is_repeatable
from fitguard.memory.recomputing.rooms import ARRIVAL
from fitguard.memory.recomputing.segments import Stash


@dataclass(eq=False)
class Group:
    """Operations that run again, one after the other, when the first of them is needed.

    Args:
        nodes: The operations, in their order.
        wanted: Their outputs that are read after the peak.
        trigger: What was made just before the first of these is read.
        number: Of the group in its choice.
    """

    number: int
    nodes: list[Node] = field(default_factory=list)
    wanted: list[Output] = field(default_factory=list)
    trigger: Output | None = None

    @property
    def expense(self) -> float:
        """How long it takes."""
        return sum(map(expense, self.nodes))

    @property
    def saved_bytes(self) -> int:
        """What need not wait for it."""
        return sum(map(size_of_output, self.wanted))


def find_groups(stash: Stash, cuts: Sequence[int], *, keep_expensive: bool) -> list[Group]:
    """The groups for these cuts.

    Args:
        keep_expensive: Convolutions and products of matrices do not run again.
    """
    kept = stash.list_alive(cuts)
    keeps = partial(_is_kept, kept=kept, keep_expensive=keep_expensive)
    wanted = [output for output in stash.outputs if not keeps(output)]
    found: list[Group] = []
    for segment in _by_segment(stash, wanted, cuts):
        found += _groups_of_segment(stash, segment, keeps, len(found))
    return found


def _is_kept(output: Output, *, kept: Set[Output], keep_expensive: bool) -> bool:
    node, _ = output
    return (
        output in kept
        or size_of_output(output) < SMALL_BYTES
        or not is_repeatable(node)
        or (keep_expensive and node.op in EXPENSIVE)
    )


def _by_segment(stash: Stash, outputs: Sequence[Output], cuts: Sequence[int]) -> list[list[Output]]:
    segments: list[list[Output]] = [[] for _ in range(len(cuts) + 1)]
    for output in outputs:
        place = stash.places[output[0]]
        segments[sum(place > cut for cut in cuts)].append(output)
    return segments


def _groups_of_segment(
    stash: Stash, wanted: Sequence[Output], keeps: Callable[[Output], bool], first: int
) -> list[Group]:
    """Those that have to do with each other are one group."""
    leads: dict[Node, Node] = {}

    def lead_of(node: Node) -> Node:
        while leads[node] is not node:
            node = leads[node]
        return node

    waiting = [node for node, _ in wanted]
    while waiting:
        node = waiting.pop()
        leads.setdefault(node, node)
        for given in node.inputs:
            producer = given[0]
            if keeps(given):
                continue
            if producer not in leads:
                leads[producer] = producer
                waiting.append(producer)
            leads[lead_of(producer)] = lead_of(node)
    groups: dict[Node, Group] = {}
    for node in sorted(leads, key=stash.places.__getitem__):
        group = groups.setdefault(lead_of(node), Group(first + len(groups)))
        group.nodes.append(node)
    for output in wanted:
        groups[lead_of(output[0])].wanted.append(output)
    for group in groups.values():
        group.trigger = _find_trigger(stash, group)
    return list(groups.values())


def _find_trigger(stash: Stash, group: Group) -> Output | None:
    """What the first reader waits for, beside the group itself; nothing of another device."""
    readers = (node for output in group.wanted for node in stash.later_uses(output))
    reader = min(readers, key=stash.places.__getitem__)
    peak, places = stash.order.peak, stash.places
    before = [(node, 0) for node in reader.controls if size_of_output((node, 0))]
    given = [output for output in (*reader.inputs, *before) if places[output[0]] > peak]
    given = [output for output in given if output[0].op != ARRIVAL]
    if given:
        return max(given, key=lambda output: places[output[0]])
    ran = (stash.order.nodes[place] for place in range(places[reader] - 1, peak, -1))
    return next(((node, 0) for node in ran if node.op != ARRIVAL), None)
