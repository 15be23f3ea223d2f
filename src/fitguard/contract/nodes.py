"""The nodes of a functional model, as Keras 3 and Keras 2 keep them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fitguard.contract.libraries import is_a

_MASKS = ("mask", "query_mask", "value_mask", "key_mask")


@dataclass(frozen=True)
class Node:
    """One call: the layer, and the identities of the symbolic tensors it reads and makes."""

    layer: Any
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    training: Any = None


def functional_of(model: Any) -> Any | None:
    """The functional model that a model is, or has inside; None where there is none (yet)."""
    inside = vars(model).get("_functional")
    if inside is not None:
        return inside
    if is_a(model, "Functional") and getattr(model, "inputs", None):
        return model
    return None


def nodes_of(functional: Any) -> Iterator[Node]:
    """The calls, each after those whose results it reads."""
    for node in raw_nodes(functional):
        yield _of_keras_3(node) if hasattr(node, "operation") else _of_keras_2(node)


def raw_nodes(functional: Any) -> Iterator[Any]:
    """The same as Keras has them."""
    by_depth = functional._nodes_by_depth
    for depth in sorted(by_depth, reverse=True):
        yield from by_depth[depth]


def _of_keras_3(node: Any) -> Node:
    given = node.arguments.kwargs
    # Keras 3 hands masks on as tensors of the graph: they are no values that a layer computes with.
    masks = {id(mask) for name in _MASKS for mask in _flat(given.get(name))}
    return Node(
        node.operation,
        tuple(id(tensor) for tensor in node.input_tensors if id(tensor) not in masks),
        tuple(map(id, node.outputs)),
        given.get("training"),
    )


def _flat(given: Any) -> list[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _of_keras_2(node: Any) -> Node:
    return Node(
        node.layer,
        tuple(map(int, node.flat_input_ids)),
        tuple(map(int, node.flat_output_ids)),
        node.call_kwargs.get("training"),
    )
