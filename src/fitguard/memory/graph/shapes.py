"""The shapes of a graph's tensors, also of those that come out of functions."""

import re
from collections.abc import Mapping
from typing import Any

Shape = tuple[int, ...] | None
INLINED = re.compile(r".*/_\d+/")
"""What stands before the name of an operation that was copied out of a function's body."""


class ShapesByName:
    """The shapes of all outputs of an operation, by its name."""

    def __init__(
        self, outer: Mapping[str, tuple[Shape, ...]], inner: Mapping[str, tuple[Shape, ...]]
    ):
        self.outer, self.inner = outer, inner

    def get(self, name: str) -> tuple[Shape, ...]:
        """Empty for operations that the rewriting added."""
        if name in self.outer:
            return self.outer[name]
        found = INLINED.match(name)
        while found is None and "/" in name:  # inlined without a number
            name = name.partition("/")[2]
            if name in self.inner:
                return self.inner[name]
        return self.inner.get(name[found.end() :], ()) if found else ()


def shapes_by_name(graph: Any) -> ShapesByName:
    """Of a traced function's graph."""
    definition = graph.as_graph_def(add_shapes=True)
    outer = {node.name: _output_shapes(node) for node in definition.node}
    inner: dict[str, tuple[Shape, ...]] = {}
    for function in definition.library.function:
        for node in function.node_def:
            inner.setdefault(node.name, _output_shapes(node))
    return ShapesByName(outer, inner)


def _output_shapes(node: Any) -> tuple[Shape, ...]:
    return tuple(
        None if shape.unknown_rank else tuple(axis.size for axis in shape.dim)
        for shape in node.attr["_output_shapes"].list.shape
    )
