"""Part of TensorFlow's constant folding, which as a whole would compute huge constants.

It takes out operations with a constant that changes nothing, and pushes constant factors down a
product, before the layout of convolutions is chosen.
"""

from collections import Counter
from typing import Any

NEUTRAL = {"Mul": 1, "RealDiv": 1, "Div": 1, "Pow": 1, "Add": 0, "AddV2": 0, "Sub": 0}
"""The constant that makes each of them give its other operand."""
ONE_SIDED = frozenset(("RealDiv", "Div", "Pow", "Sub"))
"""Those for which only the second operand may be the constant."""


def fold(graph: Any, kept: set[str]) -> None:
    """Change a GraphDef, with shapes in it, in place.

    Args:
        kept: The names of nodes that must stay.
    """
    _Folding(graph, kept).run()


class _Folding:
    def __init__(self, graph: Any, kept: set[str]) -> None:
        self.graph, self.kept = graph, kept
        self.nodes = {node.name: node for node in graph.node}

    def run(self) -> None:
        passed = {
            node.name: target
            for node in self.graph.node
            if node.name not in self.kept and (target := self._find_unchanged_input(node))
        }
        for node in self.graph.node:
            _relink(node, passed, self.nodes)
        self._push_down()

    def _find_unchanged_input(self, node: Any) -> str:
        """The input that the operation gives as it is; empty where there is none."""
        neutral = NEUTRAL.get(node.op)
        data = [name for name in node.input if not name.startswith("^")]
        if neutral is None or len(data) != 2:
            return ""
        for other, constant in ((0, 1), (1, 0)):
            if constant == 0 and node.op in ONE_SIDED:
                continue
            if self._scalar(data[constant]) == neutral and self._shape(data[other]) == _shape(node):
                return str(data[other])
        return ""

    def _push_down(self) -> None:
        """(a * b) * constant becomes a * (b * constant), as the optimizer does it."""
        readers = Counter(name for node in self.graph.node for name in node.input)
        for node in self.graph.node:
            data = [name for name in node.input if not name.startswith("^")]
            if node.op != "Mul" or len(data) != 2:
                continue
            for inner_name, constant in (data, data[::-1]):
                inner = self.nodes.get(inner_name)
                if (
                    inner is None
                    or inner.op != "Mul"
                    or inner.name in self.kept
                    or readers[inner_name] != 1
                    or self._scalar(constant) is None
                    or not _is_product(self, inner)
                ):
                    continue
                inner.input[0], node.input[0], node.input[1] = constant, inner.input[0], inner_name
                break

    def _shape(self, name: str) -> Any:
        producer, _, index = name.partition(":")
        node = self.nodes.get(producer)
        return None if node is None else _shape(node, int(index or 0))

    def _scalar(self, name: str) -> float | None:
        node = self.nodes.get(name)
        if node is None or node.op != "Const" or node.attr["value"].tensor.tensor_shape.dim:
            return None
        from tensorflow import make_ndarray

        try:
            return float(make_ndarray(node.attr["value"].tensor))
        except (TypeError, ValueError):  # no number
            return None


def _is_product(folding: _Folding, inner: Any) -> bool:
    """Whether it multiplies two arrays of one shape, and waits for nothing else."""
    if len(inner.input) != 2:
        return False
    shape = _shape(inner)
    return bool(shape) and all(folding._shape(name) == shape for name in inner.input)


def _shape(node: Any, index: int = 0) -> tuple[int, ...] | None:
    shapes = node.attr["_output_shapes"].list.shape
    if index >= len(shapes) or shapes[index].unknown_rank:
        return None
    return tuple(axis.size for axis in shapes[index].dim)


def _relink(node: Any, passed: dict[str, str], nodes: dict[str, Any]) -> None:
    """Link a node past others; it waits for what those waited for."""
    waits: list[str] = []
    for place, given in enumerate(node.input):
        name, is_control = given.removeprefix("^"), given.startswith("^")
        if name not in passed:
            continue
        while name in passed:
            waits += _waits(nodes[name], nodes)
            name = passed[name]
        node.input[place] = f"^{name.partition(':')[0]}" if is_control else name
    node.input.extend(wait for wait in dict.fromkeys(waits) if wait not in node.input)


def _waits(node: Any, nodes: dict[str, Any]) -> list[str]:
    """What an operation waits for; its constant may be what waits in its place."""
    constants = (nodes[name] for name in node.input if name in nodes and nodes[name].op == "Const")
    return [name for one in (node, *constants) for name in one.input if name.startswith("^")]
