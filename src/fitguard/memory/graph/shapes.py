"""The shapes of a graph's tensors, also of those that come out of functions."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Shape = tuple[int, ...] | None
BRANCH = re.compile(r"(\w+)/_\d+/")
"""What stands between a conditional or a loop and an operation of its branches: `then/_3/`."""
ATTRIBUTES = {"then": "then_branch", "else": "else_branch"}
"""The attribute that names the function, where it is not that word itself."""


@dataclass
class Body:
    """The operations of a graph or of a function.

    Args:
        shapes: Of all outputs of an operation, by its name.
        calls: The functions that an operation calls: `{"then_branch": "…"}`, `{"f": "…"}`.
    """

    shapes: dict[str, tuple[Shape, ...]] = field(default_factory=dict)
    calls: dict[str, dict[str, str]] = field(default_factory=dict)


class ShapesByName:
    """The shapes of all outputs of an operation, by its name.

    An operation that was copied out of a function bears the name of the call before its own:
    `cond/then/_0/MatMul`, `call/MatMul`.
    """

    def __init__(self, outer: Body, functions: dict[str, Body]) -> None:
        self.outer, self.functions = outer, functions

    def get(self, name: str) -> tuple[Shape, ...]:
        """Empty for operations that the rewriting added."""
        return self._find_shapes(name, self.outer)

    def _find_shapes(self, name: str, body: Body) -> tuple[Shape, ...]:
        if name in body.shapes:
            return body.shapes[name]
        for end in (place for place, letter in enumerate(name) if letter == "/"):
            called = body.calls.get(name[:end])
            if called:
                function, rest = _call(called, name[end + 1 :])
                return self._find_shapes(rest, self.functions.get(function, Body()))
        return ()


def shapes_by_name(graph: Any) -> ShapesByName:
    """Of a traced function's graph."""
    definition = graph.as_graph_def(add_shapes=True)
    functions = {
        function.signature.name: _body(function.node_def)
        for function in definition.library.function
    }
    return ShapesByName(_body(definition.node), functions)


def _body(nodes: Iterable[Any]) -> Body:
    body = Body()
    for node in nodes:
        body.shapes[node.name] = _output_shapes(node)
        called = _read_called_functions(node)
        if called:
            body.calls[node.name] = called
    return body


def _read_called_functions(node: Any) -> dict[str, str]:
    called = {key: value.func.name for key, value in node.attr.items() if value.HasField("func")}
    branches = node.attr["branches"].list.func if "branches" in node.attr else ()
    return called | {f"branch{number}": one.name for number, one in enumerate(branches)}


def _call(called: dict[str, str], rest: str) -> tuple[str, str]:
    """The function that an operation was copied from, and its name there."""
    found = BRANCH.match(rest)
    if found is None:
        return called.get("f", ""), rest
    word = found.group(1)
    return called.get(ATTRIBUTES.get(word, word), ""), rest[found.end() :]


def _output_shapes(node: Any) -> tuple[Shape, ...]:
    return tuple(
        None if shape.unknown_rank else tuple(axis.size for axis in shape.dim)
        for shape in node.attr["_output_shapes"].list.shape
    )
