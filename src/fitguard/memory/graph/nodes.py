"""The graph of a step as plain objects."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

from fitguard.contract.graphs import operation_definition
from fitguard.memory.graph.shapes import Shape, ShapesByName
from fitguard.memory.graph.sizes import NOTHING, Size, size_of


@dataclass(slots=True, eq=False)
class Node:
    """An operation.

    Args:
        inputs: The producer of each input, and which of its outputs.
        controls: Those that must have run before.
        shapes: Of the outputs; None where it is not known beforehand.
        sizes: Of the outputs; what lies in host memory has size 0.
        attributes: As TensorFlow has them.
        is_guessed: Whether the size depends on the values of the data.
        device: Where it was told to run; empty where it was not.
        number: What a constant is, where it is one whole number; `...` until that was looked up.
        temporary: What its kernel allocates for itself; None until that was looked up.
    """

    name: str
    op: str
    inputs: list[tuple["Node", int]] = field(default_factory=list, repr=False)
    controls: list["Node"] = field(default_factory=list, repr=False)
    shapes: tuple[Shape, ...] = ()
    item_bytes: tuple[int, ...] = ()
    sizes: list[Size] = field(default_factory=list)
    attributes: Mapping[str, Any] = field(default_factory=dict, repr=False)
    is_guessed: bool = False
    device: str = ""
    number: int | EllipsisType | None = field(default=..., repr=False)
    temporary: list[Size] | None = field(default=None, repr=False)


SAME_SIZE = {
    *("Transpose", "Reshape", "Identity", "Squeeze"),
    *("Enter", "Switch", "_SwitchN", "Merge", "Exit"),
}
"""Operations that the rewriting adds; their outputs are as large as their first input."""


def read_nodes(definitions: Iterable[Any], shapes: ShapesByName, prime: int) -> list[Node]:
    """The nodes of a graph, linked.

    Args:
        definitions: NodeDefs.
        shapes: By name, from before the rewriting; the layout changes the order of axes, and not
            the size.
    """
    definitions = list(definitions)
    nodes = {d.name: Node(d.name, d.op, attributes=d.attr, device=d.device) for d in definitions}
    for definition in definitions:
        node = nodes[definition.name]
        for given in definition.input:
            if given.startswith("^"):
                node.controls.append(nodes[given[1:]])
                continue
            name, _, index = given.partition(":")
            node.inputs.append((nodes[name], int(index or 0)))
        node.shapes = shapes.get(definition.name)
        node.item_bytes = _item_bytes(definition)
    for node in in_order(list(nodes.values())):
        _measure(node, prime)
    return list(nodes.values())


def _measure(node: Node, prime: int) -> None:
    if node.sizes:
        return
    if not node.shapes and node.op in SAME_SIZE and node.inputs:
        producer, index = node.inputs[0]
        _measure(producer, prime)
        known = index < len(producer.sizes)
        node.sizes = [producer.sizes[index] if known else NOTHING] * max(len(node.item_bytes), 1)
        node.shapes = (producer.shapes[index],) if index < len(producer.shapes) else ()
        return
    for index, (shape, item_bytes) in enumerate(zip(node.shapes, node.item_bytes, strict=False)):
        if shape is not None and all(axis >= 0 for axis in shape):
            node.sizes.append(size_of(shape, item_bytes, prime))
        elif index or not item_bytes or node.op == "Placeholder":
            node.sizes.append(NOTHING)
        else:
            node.sizes.append(_guess_size(node, shape, item_bytes, prime))
            node.is_guessed = True


def _guess_size(node: Node, shape: Shape, item_bytes: int, prime: int) -> Size:
    """What depends on the values of the data is mostly a choice of them: at most the largest input.

    Where no input is an array of numbers, an axis that is not known counts as the batch.
    """
    given = [size for producer, index in node.inputs for size in producer.sizes[index : index + 1]]
    largest = max(given, key=lambda size: size.at(prime), default=NOTHING)
    if largest.factor or shape is None:
        return largest
    return size_of([prime if axis < 0 else axis for axis in shape], item_bytes, prime)


def _item_bytes(definition: Any) -> tuple[int, ...]:
    """The size of an element of each output."""
    import tensorflow as tf

    known = operation_definition(definition.op)
    if known is None:
        return ()
    sizes: list[int] = []
    for output in known.output_arg:
        if output.type_list_attr:
            types = definition.attr[output.type_list_attr].list.type
        else:
            kind = output.type or definition.attr[output.type_attr].type
            count = definition.attr[output.number_attr].i if output.number_attr else 1
            types = [kind] * count
        sizes += [_bytes_of(tf, kind) for kind in types]
    return tuple(sizes)


def _bytes_of(tf: Any, kind: int) -> int:
    """0 for what holds no numbers: resources, lists, strings."""
    dtype = tf.as_dtype(kind)
    return 0 if dtype in (tf.resource, tf.variant, tf.string) else int(dtype.size)


def in_order(nodes: list[Node]) -> Iterator[Node]:
    """Producers before consumers; loops are cut at `NextIteration`."""
    done: set[Node] = set()
    for root in nodes:
        stack: list[tuple[Node, bool]] = [(root, False)]
        while stack:
            node, is_ready = stack.pop()
            if is_ready:
                yield node
            elif node not in done:
                done.add(node)
                stack.append((node, True))
                if node.op != "Merge":
                    stack.extend((producer, False) for producer, _ in node.inputs)
