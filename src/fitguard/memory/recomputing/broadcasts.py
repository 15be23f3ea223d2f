"""Small values that a step spreads over large tensors before it computes with them.

The gradient of a mean is such a value: TensorFlow copies it to the size of what the mean was taken
of (Tile), divides all of that, and multiplies or adds it. With the small value itself, these
operations give the same numbers, and nothing is copied:

    x * (Tile(small) / n)           x * (small / n)
    AddN(a, Tile(small) / n, b)     AddN(a + small / n, b)

What differs is rounding alone, where TensorFlow's graph optimizer moves constants elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from fitguard.memory.graph.nodes import Node, in_order
from fitguard.memory.recomputing.edit import Edit, make_alike
from fitguard.memory.recomputing.graph import SMALL_BYTES, Output, list_uses, size_of_output

SCOPE = "fitguard_small"
"""The name scope of what is computed with small values."""
_SPREADING = frozenset(("Tile", "BroadcastTo"))
_UNARY = frozenset(("Neg", "Square", "Identity", "Exp", "Log", "Sqrt", "Rsqrt", "Tanh", "Sigmoid"))
_BINARY = frozenset(("Mul", "RealDiv", "Sub", "AddV2", "DivNoNan", "Maximum", "Minimum"))
_JOINING = _BINARY - {"AddV2"}
"""With a large tensor. Sums are left as they are: TensorFlow puts these together anew."""
_LEAST_TIMES = 8
"""How much larger the copy is, at least."""


def shrink_broadcasts(nodes: Sequence[Node]) -> Edit:
    """Those who compute with the copy compute with the small value; the rest is left out."""
    found = _Broadcasts(nodes)
    for node in in_order(list(nodes)):
        found.follow(node)
    return found.make_edit()


@dataclass
class _Broadcasts:
    nodes: Sequence[Node]
    small: dict[Output, Output] = field(default_factory=dict)
    """For what is a copy of a small value: that value."""
    edit: Edit = field(default_factory=Edit)

    def __post_init__(self) -> None:
        self.uses = list_uses(self.nodes)

    def follow(self, node: Node) -> None:
        """Whether it spreads a small value, computes with one alone, or with a large tensor too."""
        shape = _shape((node, 0))
        is_known = shape is not None and all(axis >= 0 for axis in shape)
        if not is_known or size_of_output((node, 0)) < SMALL_BYTES:
            return
        if node.op in _SPREADING:
            if _is_spread(node):
                self.small[node, 0] = node.inputs[0]
            return
        spread = [given for given in node.inputs if given in self.small]
        if not spread:
            return
        if node.op in _UNARY or (node.op in _BINARY and self._is_small_besides(node)):
            self._compute_small(node)
        elif node.op in _JOINING and self._is_large_besides(node):
            self.edit.rewired[node] = [self.small.get(given, given) for given in node.inputs]
        elif node.op == "AddN" and len(spread) < len(node.inputs):
            self._add_small(node)

    def _is_small_besides(self, node: Node) -> bool:
        """Whether all that it reads is a copy of one small value, or small itself."""
        shapes = [_shape(self.small.get(given, given)) for given in node.inputs]
        largest = max((shape for shape in shapes if shape is not None), key=len, default=None)
        return largest is not None and all(shape in ((), largest) for shape in shapes)

    def _is_large_besides(self, node: Node) -> bool:
        """Whether what it reads beside the copy has the shape of what it gives."""
        others = [_shape(given) for given in node.inputs if given not in self.small]
        return len(others) == 1 and others[0] == _shape((node, 0))

    def _compute_small(self, node: Node) -> None:
        inputs = [self.small.get(given, given) for given in node.inputs]
        like = max(inputs, key=lambda given: len(_shape(given) or ()))
        self.small[node, 0] = self._make(node, node.op, SCOPE, inputs, like), 0

    def _add_small(self, node: Node) -> None:
        """In the order of the sum; the first two may change places."""
        terms = list(node.inputs)
        if terms[0] in self.small:
            terms[:2] = terms[1::-1]
        if terms[0] in self.small:
            return
        done: list[Output] = []
        for number, term in enumerate(terms):
            if term not in self.small:
                done.append(term)
                continue
            scope = f"{SCOPE}/{number}"
            if len(done) > 1:
                done = [(self._make(node, "AddN", f"{scope}/before", done, (node, 0)), 0)]
            added = [done[0], self.small[term]]
            done = [(self._make(node, "AddV2", scope, added, (node, 0)), 0)]
        self.edit.rewired[node] = done

    def _make(self, node: Node, op: str, scope: str, inputs: list[Output], like: Output) -> Node:
        made = replace(node, name=f"{scope}/{node.name}", op=op, inputs=inputs, controls=[])
        made.number, made.temporary = ..., None
        make_alike(made, like)
        self.edit.copies[made] = node
        self.edit.alike[made] = like
        return made

    def make_edit(self) -> Edit:
        """With what nobody reads any more, and who stands in for it."""
        for node in reversed([*in_order(list(self.nodes))]):
            readers = self.uses.get((node, 0), [])
            if (node, 0) in self.small and readers and all(map(self._reads_small, readers)):
                self.edit.left_out[node] = self.small[node, 0][0]
        return self.edit if self.edit.rewired else Edit()

    def _reads_small(self, reader: Node) -> bool:
        return reader in self.edit.rewired or reader in self.edit.left_out


def _is_spread(node: Node) -> bool:
    """Whether it copies along axes of length 1 only."""
    before, after = _shape(node.inputs[0]), _shape((node, 0))
    if before is None or after is None or len(before) > len(after):
        return False
    before = (1,) * (len(after) - len(before)) + before
    pairs = zip(before, after, strict=True)
    if not all(old in (1, new) for old, new in pairs):
        return False
    return size_of_output((node, 0)) >= _LEAST_TIMES * size_of_output(node.inputs[0])


def _shape(output: Output) -> tuple[int, ...] | None:
    node, index = output
    return node.shapes[index] if index < len(node.shapes) else None
