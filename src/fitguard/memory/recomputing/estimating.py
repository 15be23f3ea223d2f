"""What a recomputed step needs, from the estimator of the step as it is."""

from dataclasses import dataclass, replace

from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Step
from fitguard.memory.recomputing.choosing import Ways
from fitguard.memory.recomputing.edit import apply_edit, transfer_edit
from fitguard.memory.recomputing.paper import Paper
from fitguard.memory.recomputing.recomputation import Recomputation, turns_images

_WITHOUT_CARD = 0.5
_LESS = 0.9
_MOST_TRIES = 5


@dataclass(frozen=True)
class RecomputedEstimator:
    """The estimator of a recomputed step.

    Args:
        way: What is computed twice.
    """

    estimator: GraphEstimator
    way: Recomputation


def find_recomputed(
    plain: GraphEstimator, batch_size: int, usable_bytes: int | None
) -> RecomputedEstimator | None:
    """The cheapest recomputation in which the batch fits for sure, or else the one with the least.

    None where nothing can be won. Without a card, about half of the activations are kept. Less may
    be in use at once and need more all the same: where it lies in pieces.
    """
    share = _WITHOUT_CARD if usable_bytes is None else _find_share(plain, batch_size, usable_bytes)
    plain = plain if turns_images(share) else plain.unturned
    originals = clone_at(plain.step, batch_size)
    clones = {node: clone for clone, node in originals.items()}
    handles = {
        clones[node]: (name, Size(size.at(batch_size)), category)
        for node, (name, size, category) in plain.step.handles.items()
    }
    ways = Ways(Paper(list(originals), handles))
    tried: list[RecomputedEstimator] = []

    def needed(found: RecomputedEstimator) -> int:
        return found.estimator.at(batch_size).required.high

    for _ in range(_MOST_TRIES):
        way = ways.choose(share)
        if way is None:
            break
        tried.append(RecomputedEstimator(_edit_estimator(plain, way, originals), way))
        if usable_bytes is None or needed(tried[-1]) <= usable_bytes:
            return tried[-1]
        if way.share > share:
            break
        share = _LESS * min(share, way.share)
    return min(tried, key=needed, default=None)


def _find_share(plain: GraphEstimator, batch_size: int, usable_bytes: int) -> float:
    """Of what the step needs beside its variables: what is there for it."""
    required = plain.at(batch_size).required
    state = sum(size.at(batch_size) for _, size, _ in plain.step.handles.values())
    there = usable_bytes * required.likely / required.high - state
    return min(max(there / max(required.likely - state, 1), 0.05), 0.95)


def clone_at(step: Step, batch_size: int) -> dict[Node, Node]:
    """Nodes whose sizes are those of this batch, and for each the node that it stands for."""
    clones = {node: Node(node.name, node.op) for node in step.nodes}
    for node, clone in clones.items():
        clone.inputs = [(clones[producer], index) for producer, index in node.inputs]
        clone.controls = [clones[before] for before in node.controls]
        clone.shapes = tuple(
            shape and tuple(_scale(axis, step.prime, batch_size) for axis in shape)
            for shape in node.shapes
        )
        clone.item_bytes, clone.attributes = node.item_bytes, node.attributes
        clone.sizes = [Size(size.at(batch_size)) for size in node.sizes]
    return {clone: node for node, clone in clones.items()}


def _scale(axis: int, prime: int, batch_size: int) -> int:
    return axis // prime * batch_size if prime > 1 and axis and axis % prime == 0 else axis


def _edit_estimator(
    plain: GraphEstimator, way: Recomputation, originals: dict[Node, Node]
) -> GraphEstimator:
    """The same edits on the nodes whose sizes follow the batch."""
    step = plain.step
    made = {node: replace(node) for node in step.nodes}
    known = {clone: made[node] for clone, node in originals.items()}
    for node in made.values():
        node.inputs = [(made[producer], index) for producer, index in node.inputs]
        node.controls = [made[before] for before in node.controls]
    nodes = list(made.values())
    for edit in way.edits:
        nodes = apply_edit(nodes, transfer_edit(edit, known))
    edited = replace(
        step,
        nodes=nodes,
        handles={made[node]: handle for node, handle in step.handles.items()},
        inputs=[made[node] for node in step.inputs],
    )
    return GraphEstimator(
        plain.training, edited, edited.run(first=True), edited.run(), shelves=way.shelves
    )
