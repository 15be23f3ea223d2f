"""Operations that are added to a graph, and inputs that change."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.graph import SMALL_BYTES, Output, size_of_output
from fitguard.memory.recomputing.groups import Group
from fitguard.memory.recomputing.segments import Stash

NAME = "fitguard_again"
"""The name scope of what is computed again."""

WHOLE_NUMBERS = (3, 9)
"""TensorFlow's numbers for int32 and int64."""
TypeOf = Callable[[str, int], Any]
"""The dtype of an output of an operation of the traced graph."""


@dataclass
class Edit:
    """A graph in which groups are computed again.

    Args:
        copies: The operations that are added, and of what each is a copy.
        groups: The group of each copy.
        rewired: Inputs of operations that are there.
    """

    copies: dict[Node, Node] = field(default_factory=dict)
    groups: dict[Node, Group] = field(default_factory=dict)
    rewired: dict[Node, list[Output]] = field(default_factory=dict)


def make_edit(stash: Stash, groups: Iterable[Group], scope: str = NAME) -> Edit:
    """Whoever reads an output of these groups after the peak reads a copy of it."""
    edit = Edit()
    for group in groups:
        copies: dict[Node, Node] = {}
        for node in group.nodes:
            copy = _copy(node, group, copies, f"{scope}/{group.number}")
            copies[node] = copy
            edit.copies[copy], edit.groups[copy] = node, group
        for output in group.wanted:
            for reader in stash.later_uses(output):
                inputs = edit.rewired.setdefault(reader, list(reader.inputs))
                for slot, given in enumerate(reader.inputs):
                    if given == output:
                        inputs[slot] = (copies[output[0]], output[1])
    return edit


def _copy(node: Node, group: Group, copies: dict[Node, Node], scope: str) -> Node:
    """Whoever reads no other copy waits for what sets the group off."""
    begins = all(producer not in copies for producer, _ in node.inputs)
    return Node(
        f"{scope}/{node.name}",
        node.op,
        [(copies.get(producer, producer), index) for producer, index in node.inputs],
        [group.trigger[0]] if begins and group.trigger is not None else [],
        node.shapes,
        node.item_bytes,
        node.sizes,
        node.attributes,
        node.is_guessed,
    )


@contextlib.contextmanager
def editing(nodes: Sequence[Node], edit: Edit) -> Iterator[list[Node]]:
    """The graph with the edit, on paper."""
    before = {node: node.inputs for node in edit.rewired}
    for node, inputs in edit.rewired.items():
        node.inputs = inputs
    try:
        yield [*nodes, *edit.copies]
    finally:
        for node, inputs in before.items():
            node.inputs = inputs


def transfer_edit(edit: Edit, twins: dict[Node, Node]) -> Edit:
    """The same edit of another graph that has the same nodes under names of its own.

    Args:
        twins: For each node that of the other graph; those that the edit adds come to them.
    """
    moved = Edit()
    groups = {group: Group(group.number) for group in edit.groups.values()}
    for copy, original in edit.copies.items():
        twin = twins[original]
        twins[copy] = replace(twin, name=copy.name.removesuffix(original.name) + twin.name)
        moved.copies[twins[copy]] = twin
        moved.groups[twins[copy]] = groups[edit.groups[copy]]

    def move(output: Output) -> Output:
        return twins[output[0]], output[1]

    for copy in edit.copies:
        twins[copy].inputs = list(map(move, copy.inputs))
        twins[copy].controls = [twins[before] for before in copy.controls]
    for group, other in groups.items():
        other.nodes = [twins[node] for node in group.nodes]
        other.wanted = list(map(move, group.wanted))
        other.trigger = move(group.trigger) if group.trigger is not None else None
    moved.rewired = {twins[node]: list(map(move, inputs)) for node, inputs in edit.rewired.items()}
    return moved


def edit_definition(graph: Any, edit: Edit, type_of: TypeOf | None) -> None:
    """The same in a `GraphDef`.

    Args:
        type_of: For XLA, which knows no order but that of the data, and computes only once what is
            the same: what a group reads goes through a barrier, with what sets the group off. None
            where the order is told by control inputs.
    """
    definitions = {definition.name: definition for definition in graph.node}
    for node, inputs in edit.rewired.items():
        for slot, given in enumerate(inputs):
            # All else stays: what an earlier edit has put behind a barrier, too.
            if given[0] in edit.copies:
                definitions[node.name].input[slot] = _reference(given)
    behind = _add_barriers(graph, edit, type_of) if type_of is not None else {}
    for copy, original in edit.copies.items():
        definition = graph.node.add()
        definition.CopyFrom(definitions[original.name])
        definition.name = copy.name
        number = edit.groups[copy].number
        references = [behind.get((number, one), _reference(one)) for one in copy.inputs]
        waits = [f"^{node.name}" for node in copy.controls] if type_of is None else []
        definition.input[:] = [*references, *waits]


def _reference(output: Output) -> str:
    node, index = output
    return f"{node.name}:{index}"


def _add_barriers(graph: Any, edit: Edit, type_of: TypeOf) -> dict[tuple[int, Output], str]:
    """For each group, by its number, and what it reads: where it is to be read from."""
    reads: dict[Group, dict[Output, None]] = {}
    for copy, group in edit.groups.items():
        outer = [output for output in copy.inputs if output[0] not in edit.copies]
        waiting = [output for output in outer if _may_wait(output, type_of)]
        reads.setdefault(group, {}).update(dict.fromkeys(waiting))
    scope = next(iter(edit.copies)).name.split("/")[0] if edit.copies else NAME
    behind: dict[tuple[int, Output], str] = {}
    for group, outputs in reads.items():
        given = [*outputs, *([group.trigger] if group.trigger is not None else [])]
        if not outputs:
            continue
        barrier = graph.node.add()
        barrier.name = f"{scope}/{group.number}/barrier"
        barrier.op = "XlaOptimizationBarrier"
        barrier.input[:] = list(map(_reference, given))
        barrier.attr["T"].list.type[:] = [type_of(node.name, index) for node, index in given]
        for index, output in enumerate(outputs):
            behind[group.number, output] = f"{barrier.name}:{index}"
    return behind


def _may_wait(output: Output, type_of: TypeOf) -> bool:
    """Sizes and axes must be known when XLA compiles: they do not go through a barrier.

    Small values of other types do: random numbers are drawn from keys alone.
    """
    node, index = output
    if node.op == "Const":
        return False
    return size_of_output(output) >= SMALL_BYTES or type_of(node.name, index) not in WHOLE_NUMBERS
