"""Puts the optimizer's real updates in the places where the trace has one assignment each."""

from collections.abc import Mapping

from fitguard.memory.graph.buffers import Category
from fitguard.memory.graph.nodes import Node, read_nodes
from fitguard.memory.graph.shapes import shapes_by_name
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.tracing import MARK, Kind, Traced, Update
from fitguard.memory.model_variables import variable_bytes

Handles = dict[Node, tuple[str, Size, Category]]
"""The nodes that stand for variables, with name, size and category."""
NO_PRIME = 2**61 - 1


def expand_updates(
    nodes: list[Node], traced: Traced, handles: Handles
) -> tuple[list[Node], Handles]:
    """The nodes with every mark replaced, and the handles of the optimizer's slots.

    Args:
        handles: Of the variables that the step itself reads. A slot bears the name of the variable
            that it belongs to.
    """
    result: list[Node] = []
    slots: Handles = {}
    known = _find_known_variables(nodes, traced)
    for node in nodes:
        update = traced.updates.get(_kind(node)) if _is_mark(node) else None
        if update is None:
            result.append(node)
            continue
        added, own = _instance(update, node, _name_of(node, handles), known)
        slots |= own
        result += added
        node.op, node.inputs, node.controls = "NoOp", [], [added[-1]]  # others may wait for it
        result.append(node)
    return result, slots


def _is_mark(node: Node) -> bool:
    return node.op == "AssignSubVariableOp" and MARK in node.name


def _kind(node: Node) -> Kind:
    import tensorflow as tf

    producer, index = node.inputs[1]
    shape = producer.shapes[index] if index < len(producer.shapes) else None
    return tf.as_dtype(node.attributes["dtype"].type).name, tuple(shape or ())


def _find_known_variables(nodes: list[Node], traced: Traced) -> dict[int, Node]:
    """The nodes of variables that the step itself reads, such as the count of steps."""
    by_name = {node.name: node for node in nodes}
    captures = traced.function.graph.captures
    return {
        id(outer): by_name[inner.op.name] for outer, inner in captures if inner.op.name in by_name
    }


def _name_of(mark: Node, handles: Handles) -> str:
    """Of the variable that is updated; a conditional hands its handle on."""
    node = mark.inputs[0][0]
    while node not in handles and node.inputs:
        node = node.inputs[0][0]
    return handles[node][0] if node in handles else ""


def _instance(
    update: Update, mark: Node, name: str, known: Mapping[int, Node]
) -> tuple[list[Node], Handles]:
    """The nodes of an update, fed with the gradient and the variable of this mark."""
    graph = update.function.graph
    definition = graph.as_graph_def()
    nodes = read_nodes(definition.node, shapes_by_name(graph), NO_PRIME)
    gradient = update.function.inputs[0].op.name
    own = _placeholder_of(update)
    replaced: dict[Node, tuple[Node, int]] = {}
    slots: Handles = {}
    captured = {inner.op.name: id(outer) for outer, inner in graph.captures}
    sizes = {id(variable.handle): variable for variable in graph.variables}
    for node in nodes:
        if node.name == gradient:
            replaced[node] = mark.inputs[1]
        elif node.name == own:
            replaced[node] = mark.inputs[0]
        elif captured.get(node.name) in known:
            replaced[node] = (known[captured[node.name]], 0)
        elif captured.get(node.name) in sizes:
            slots[node] = (name, Size(variable_bytes(sizes[captured[node.name]])), "optimizer")
    kept = [node for node in nodes if node not in replaced]
    for node in kept:
        node.inputs = [replaced.get(producer, (producer, index)) for producer, index in node.inputs]
        node.controls = [before for before in node.controls if before not in replaced]
        node.name = f"{mark.name}/{node.name}"
        if not node.inputs and not node.controls and node not in slots and node.op != "Const":
            node.controls = list(mark.controls)
    return kept, slots


def _placeholder_of(update: Update) -> str:
    """The name under which the update knows the variable that it changes."""
    for outer, inner in update.function.graph.captures:
        if outer is update.variable.handle:
            return str(inner.op.name)
    return ""
