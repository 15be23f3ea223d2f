"""What TensorFlow's optimizer does in its second round, done here in no time.

It folds operations with constants that change nothing, and takes out transpositions that another
one undoes or repeats.
"""

from typing import Any

from fitguard.memory.graph.folding import NEUTRAL, ONE_SIDED
from fitguard.memory.graph.nodes import Node, in_order

Source = tuple[Node, int]
MOVES = frozenset(("Tile", "BroadcastTo", "Pad", "PadV2", "MirrorPad", "Slice", "StridedSlice"))
"""They give their input where the size does not change."""


def tidy_nodes(nodes: list[Node], *, keeps_values: bool = False) -> list[Node]:
    """The nodes that are left, linked past the others.

    Args:
        keeps_values: Only past those that give their very input, for who will run the graph. Else
            past those, too, that give as much in another form, and take no memory for that.
    """
    links = _Links()
    turned: dict[tuple[Node, int, tuple[int, ...]], Node] = {}
    for node in in_order(nodes):
        links.pass_by(node)
        target = _shortcut(node)
        if target is not None and keeps_values and not _is_unchanged(node, target):
            target = None
        if target is None and node.op == "Transpose":
            target = _cancel_transpose(node, turned)
        if target is not None:
            links.passed[node] = target
    kept = [node for node in nodes if node not in links.passed]
    for node in kept:
        links.pass_by(node)
        node.controls = [links.resolve_source((before, 0))[0] for before in node.controls]
    needed = {before for node in kept for before in (*dict(node.inputs), *node.controls)}
    return [node for node in kept if node.op != "Transpose" or node in needed]


class _Links:
    """Where the outputs of nodes that were left out are found."""

    def __init__(self) -> None:
        self.passed: dict[Node, Source] = {}

    def pass_by(self, node: Node) -> None:
        """Link the inputs of a node past others; it waits for what those waited for."""
        for producer, _ in node.inputs:
            while producer in self.passed:
                node.controls += [one for one in _waits(producer) if one not in node.controls]
                producer = self.passed[producer][0]
        node.inputs = [self.resolve_source(source) for source in node.inputs]

    def resolve_source(self, source: Source) -> Source:
        while source[0] in self.passed:
            source = self.passed[source[0]]
        return source


def _waits(node: Node) -> list[Node]:
    """What an operation waits for; its constant may be what waits in its place."""
    constants = (producer for producer, _ in node.inputs if producer.op == "Const")
    return [before for one in (node, *constants) for before in one.controls]


def _shortcut(node: Node) -> Source | None:
    """The input that an operation gives unchanged."""
    if node.op in MOVES:
        return node.inputs[0] if _size(node.inputs[0]) == _own_size(node) else None
    neutral = NEUTRAL.get(node.op)
    if neutral is None or len(node.inputs) != 2:
        return None
    for other, constant in ((0, 1), (1, 0)):
        if constant == 0 and node.op in ONE_SIDED:
            continue
        same = _size(node.inputs[other]) == _own_size(node)
        if same and _scalar(node.inputs[constant][0]) == neutral:
            return node.inputs[other]
    return None


def _is_unchanged(node: Node, target: Source) -> bool:
    """Whether it gives the same numbers in the same shape: a slice may turn them round."""
    producer, index = target
    before, after = producer.shapes[index : index + 1], node.shapes[:1]
    if not before or before != after or before[0] is None:
        return False
    if node.op != "StridedSlice":
        return True
    strides = _values(node.inputs[3][0])
    return strides is not None and bool((strides == 1).all())


def _cancel_transpose(
    node: Node, turned: dict[tuple[Node, int, tuple[int, ...]], Node]
) -> Source | None:
    """The tensor that a transposition gives back, or an equal transposition."""
    order = _order(node)
    if order is None:
        return None
    producer, index = node.inputs[0]
    before = _order(producer) if producer.op == "Transpose" else None
    if before is not None and all(before[axis] == place for place, axis in enumerate(order)):
        return producer.inputs[0]
    known = turned.setdefault((producer, index, order), node)
    return (known, 0) if known is not node else None


def _order(node: Node) -> tuple[int, ...] | None:
    values = _values(node.inputs[1][0])
    return None if values is None else tuple(int(value) for value in values.flatten())


def _scalar(node: Node) -> float | None:
    values = _values(node)
    return float(values.flatten()[0]) if values is not None and values.size == 1 else None


def _values(node: Node) -> Any:
    if node.op != "Const":
        return None
    tensor = node.attributes["value"].tensor
    if sum(axis.size for axis in tensor.tensor_shape.dim) > 16:
        return None
    from tensorflow import make_ndarray

    try:
        return make_ndarray(tensor)
    except TypeError:  # text and others that are no numbers
        return None


def _size(source: Source) -> Any:
    producer, index = source
    return producer.sizes[index] if index < len(producer.sizes) else None


def _own_size(node: Node) -> Any:
    return node.sizes[0] if node.sizes else ()
