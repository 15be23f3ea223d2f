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
    """A graph that is changed.

    Args:
        copies: The operations that are added, and of what each is a copy.
        groups: The group of each copy that is computed again.
        alike: For copies that are smaller than what they are copies of: what they are as large as.
        rewired: Inputs of operations that are there.
        waits: For operations that are there, others that must have run before.
        left_out: Operations that nobody reads any more. Who waited for one waits for the other.
    """

    copies: dict[Node, Node] = field(default_factory=dict)
    groups: dict[Node, Group] = field(default_factory=dict)
    alike: dict[Node, Output] = field(default_factory=dict)
    rewired: dict[Node, list[Output]] = field(default_factory=dict)
    waits: dict[Node, list[Node]] = field(default_factory=dict)
    left_out: dict[Node, Node] = field(default_factory=dict)


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


def apply_edit(nodes: Iterable[Node], edit: Edit) -> list[Node]:
    """The graph with the edit, on paper; nodes that are there are changed."""
    nodes = list(nodes)
    for node, inputs in edit.rewired.items():
        node.inputs = inputs
    for node in nodes:
        if node in edit.waits or not edit.left_out.keys().isdisjoint(node.controls):
            before = [edit.left_out.get(one, one) for one in node.controls]
            node.controls = before + edit.waits.get(node, [])
    return [*(node for node in nodes if node not in edit.left_out), *edit.copies]


@contextlib.contextmanager
def editing(nodes: Sequence[Node], edit: Edit) -> Iterator[list[Node]]:
    """The graph with the edit, on paper; afterwards all nodes are as before."""
    before = [(node, node.inputs, node.controls) for node in nodes]
    try:
        yield apply_edit(nodes, edit)
    finally:
        for node, inputs, controls in before:
            node.inputs, node.controls = inputs, controls


@contextlib.contextmanager
def editing_all(nodes: Sequence[Node], edits: Iterable[Edit]) -> Iterator[list[Node]]:
    """The graph with one edit after the other, on paper."""
    edited = list(nodes)
    with contextlib.ExitStack() as stack:
        for edit in edits:
            edited = stack.enter_context(editing(edited, edit))
        yield edited


def transfer_edit(edit: Edit, twins: dict[Node, Node]) -> Edit:
    """The same edit of another graph that has the same nodes under names of its own.

    Args:
        twins: For each node that of the other graph; those that the edit adds come to them.
    """
    moved = Edit()
    groups = {group: Group(group.number) for group in edit.groups.values()}

    def move(output: Output) -> Output:
        return twins[output[0]], output[1]

    for copy, original in edit.copies.items():
        twin = twins[original]
        name = copy.name.removesuffix(original.name) + twin.name
        twins[copy] = replace(twin, name=name, op=copy.op)
        moved.copies[twins[copy]] = twin
    for copy, group in edit.groups.items():
        moved.groups[twins[copy]] = groups[group]
    for copy in edit.copies:
        twins[copy].inputs = list(map(move, copy.inputs))
        twins[copy].controls = [twins[before] for before in copy.controls]
    for copy, output in edit.alike.items():
        moved.alike[twins[copy]] = move(output)
        make_alike(twins[copy], move(output))
    for group, other in groups.items():
        other.nodes = [twins[node] for node in group.nodes]
        other.wanted = list(map(move, group.wanted))
        other.trigger = move(group.trigger) if group.trigger is not None else None
    moved.rewired = {twins[node]: list(map(move, inputs)) for node, inputs in edit.rewired.items()}
    moved.waits = {twins[node]: [twins[one] for one in ones] for node, ones in edit.waits.items()}
    moved.left_out = {twins[node]: twins[other] for node, other in edit.left_out.items()}
    return moved


def make_alike(node: Node, like: Output) -> None:
    """Its output is as large as that one."""
    other, index = like
    node.shapes, node.sizes = other.shapes[index : index + 1], other.sizes[index : index + 1]


def edit_definition(graph: Any, edit: Edit, type_of: TypeOf | None) -> None:
    """The same in a `GraphDef`.

    Args:
        type_of: For XLA, which knows no order but that of the data, and computes only once what is
            the same: what a group reads goes through a barrier, with what sets the group off. None
            where the order is told by control inputs.
    """
    definitions = {definition.name: definition for definition in graph.node}
    for node, inputs in edit.rewired.items():
        _rewire(definitions[node.name], node, inputs)
    for node, others in edit.waits.items():
        definitions[node.name].input.extend(f"^{other.name}" for other in others)
    _replace_waits(graph, edit)
    behind = _add_barriers(graph, edit, type_of) if type_of is not None else {}
    for copy, original in edit.copies.items():
        definition = graph.node.add()
        definition.CopyFrom(definitions[original.name])
        definition.name = copy.name
        _set_kind(definition, copy)
        number = edit.groups[copy].number if copy in edit.groups else None
        references = [behind.get((number, one), _reference(one)) for one in copy.inputs]
        waits = [f"^{node.name}" for node in copy.controls] if type_of is None else []
        definition.input[:] = [*references, *waits]


def _rewire(definition: Any, node: Node, inputs: Sequence[Output]) -> None:
    """Where it reads what it did before, that stays: an earlier edit may have put up a barrier."""
    if len(inputs) == len(node.inputs):
        for slot, (given, before) in enumerate(zip(inputs, node.inputs, strict=True)):
            if given != before:
                definition.input[slot] = _reference(given)
        return
    known = dict(zip(node.inputs, definition.input, strict=False))
    waits = definition.input[len(node.inputs) :]
    definition.input[:] = [*(known.get(given, _reference(given)) for given in inputs), *waits]
    definition.attr["N"].i = len(inputs)


def _replace_waits(graph: Any, edit: Edit) -> None:
    others = {f"^{node.name}": f"^{other.name}" for node, other in edit.left_out.items()}
    for definition in graph.node if others else ():
        if not others.keys().isdisjoint(definition.input):
            definition.input[:] = [others.get(given, given) for given in definition.input]


def _set_kind(definition: Any, copy: Node) -> None:
    """A sum may be a copy of a longer one, or of one with more terms."""
    if definition.op != copy.op:
        definition.op = copy.op
        for name in [name for name in definition.attr if name != "T"]:
            del definition.attr[name]
    if copy.op == "AddN":
        definition.attr["N"].i = len(copy.inputs)


def _reference(output: Output) -> str:
    node, index = output
    return f"{node.name}:{index}"


def _add_barriers(graph: Any, edit: Edit, type_of: TypeOf) -> dict[tuple[int | None, Output], str]:
    """For each group, by its number, and what it reads: where it is to be read from."""
    reads: dict[Group, dict[Output, None]] = {}
    for copy, group in edit.groups.items():
        outer = [output for output in copy.inputs if output[0] not in edit.copies]
        waiting = [output for output in outer if _may_wait(output, type_of)]
        reads.setdefault(group, {}).update(dict.fromkeys(waiting))
    scope = next(iter(edit.copies)).name.split("/")[0] if edit.copies else NAME
    behind: dict[tuple[int | None, Output], str] = {}
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
