"""A training step on paper: its graph, its variables, its inputs."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fitguard.inputs.models.weights import leave_out_tables
from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.memory.graph.buffers import Buffer, Category, Event, Ledger, Variable
from fitguard.memory.graph.execution import Execution
from fitguard.memory.graph.nodes import Node, read_nodes
from fitguard.memory.graph.operations import Operations
from fitguard.memory.graph.recurrent import add_reserve
from fitguard.memory.graph.rewriting import rewrite_graph
from fitguard.memory.graph.shapes import shapes_by_name
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.tidying import tidy_nodes
from fitguard.memory.graph.tracing import Traced, trace
from fitguard.memory.graph.updates import Handles, expand_updates
from fitguard.memory.model_variables import optimizer_variables, variable_bytes
from fitguard.memory.training import Training

INT32 = 3
"""TensorFlow's number for this type."""


@dataclass(frozen=True)
class Step:
    """What was traced, and can be run on paper for any batch.

    Args:
        handles: The nodes that stand for variables, with name, size and category.
        inputs: The nodes that stand for the batch.
        beside: Variables that the step does not touch, and constants.
        traced: What it was read from.
    """

    nodes: list[Node]
    handles: Handles
    inputs: list[Node]
    beside: Size
    prime: int
    traced: Traced

    def run(self, *, first: bool = False) -> "Run":
        """All allocations of one step in their order.

        Args:
            first: Whether it is the first step of a training. Then the optimizer's variables of
                one shape are one buffer of zeros, and each gets its own when it is first changed.
        """
        ledger = Ledger()
        variables = make_variables(self.handles, shared=first)
        kept = [variable.buffer for variable in variables.values()]
        inputs = [Buffer(node.sizes[0], "input", name=node.name) for node in self.inputs]
        operations = Operations(ledger, variables)
        operations.given = dict(zip(self.inputs, inputs, strict=True))
        execution = Execution(self.nodes, ledger, operations)
        for buffer in inputs:
            buffer.references = 1
        execution.run()
        after = [variable.buffer for variable in variables.values()]
        return Run(kept, after, inputs, ledger.events, execution.complete and not operations.rounds)


def make_variables(handles: Handles, *, shared: bool = False) -> dict[Node, Variable]:
    """Each with a buffer.

    Args:
        shared: Whether the optimizer's variables of one size have one buffer for all.
    """
    zeros: dict[Size, Buffer] = {}
    made: dict[Node, Variable] = {}
    for node, (name, size, category) in handles.items():
        buffer = Buffer(size, category, name=name)
        if shared and category == "optimizer":
            buffer = zeros.setdefault(size, buffer)
        buffer.references += 1
        made[node] = Variable(name, buffer)
    return made


@dataclass(frozen=True)
class Run:
    """One step on paper.

    Args:
        variables: What lies in memory before.
        after: Where the same variables lie afterwards.
        inputs: The batch, which is copied to the GPU before and stays until the end.
        events: What is allocated and freed.
        complete: Whether it came to its end.
    """

    variables: list[Buffer]
    after: list[Buffer]
    inputs: list[Buffer]
    events: list[Event]
    complete: bool


def read_step(
    training: Training,
    capability: str = USUAL_CAPABILITY,
    *,
    traced: Traced | None = None,
    turns_images: bool = True,
) -> Step:
    """Trace, rewrite, read.

    Args:
        traced: Where that was done already.
        turns_images: False where convolutions get them in the layout that they have.
    """
    traced = traced or trace(training)
    graph = rewrite_graph(traced, capability, turns_images=turns_images)
    nodes = read_nodes(graph.node, shapes_by_name(traced.function.graph), traced.prime)
    for node in nodes:
        add_reserve(node)
    nodes = tidy_nodes(nodes)
    handles = _handles(traced, training, nodes)
    nodes, slots = expand_updates(nodes, traced, handles)
    handles |= slots
    names = {tensor.op.name for tensor in traced.function.inputs}
    inputs = [node for node in nodes if node.name in names and node not in handles]
    read = sum(size.factor for _, size, _ in handles.values())
    every = _own_variables(training.model)
    every |= _by_handle(optimizer_variables(getattr(training.model, "optimizer", None)))
    unread = max(sum(variable_bytes(variable) for variable in every.values()) - read, 0)
    beside = Size(unread + _constant_bytes(nodes))
    return Step(nodes, handles, inputs, beside, traced.prime, traced)


def _constant_bytes(nodes: list[Node]) -> int:
    """Constants stay on the GPU; whole numbers of 32 bits, mostly shapes, in host memory."""
    constants = (node for node in nodes if node.op == "Const" and node.sizes)
    return sum(node.sizes[0].at(1) for node in constants if node.attributes["dtype"].type != INT32)


def _own_variables(model: Any) -> dict[int, Any]:
    """Of a model and its metrics."""
    if model is None:
        return {}
    of_metrics = (variable for metric in model.metrics for variable in metric.variables)
    return _by_handle([*leave_out_tables(model.variables), *of_metrics])


def _by_handle(variables: Iterable[Any]) -> dict[int, Any]:
    return {id(_handle(variable)): variable for variable in variables}


def _handles(traced: Traced, training: Training, nodes: list[Node]) -> Handles:
    own = _own_variables(training.model)
    found: Handles = {}
    for node, variable in find_variables(traced.function.graph, nodes).items():
        is_own = variable.trainable or id(variable.handle) in own
        category: Category = "weights" if is_own else "optimizer"
        found[node] = (variable.name, Size(variable_bytes(variable)), category)
    return found


def find_variables(graph: Any, nodes: Iterable[Node], known: Iterable[Any] = ()) -> dict[Node, Any]:
    """The nodes that stand for variables in a traced graph.

    Args:
        known: Variables that it may use; those that it has noted itself where not given.
    """
    by_name = {node.name: node for node in nodes}
    variables = {id(variable.handle): variable for variable in (known or graph.variables)}
    return {
        by_name[inner.op.name]: variables[id(outer)]
        for outer, inner in graph.captures
        if id(outer) in variables and inner.op.name in by_name
    }


def _handle(variable: Any) -> Any:
    """Of a Keras variable, or of TensorFlow's."""
    return (variable if hasattr(variable, "handle") else variable.value).handle
