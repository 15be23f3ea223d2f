"""What a step in parts with the statistics of the whole batch would move over the link to the host.

    PYTHONPATH=bench .venv/bin/python bench/recompute/statistics_on_paper.py --room-gib 0,8

Nothing is run: it is counted on the traced step. A *pass* goes over all parts, up to the next
barrier: something that is added up over rows and then read for each row again (statistics, and the
sums of their gradients). What a pass makes and a later one reads waits on the card as far as there
is room, what is read soonest first; else it goes to the host and comes back. What is cheap is
computed again instead, and so is, on the way back, all that does not wait already.

The last columns say what the step takes beside the plain one: at best, with the link busy in both
directions and computing at the same time; and if all of that comes one after the other. Parts count
as being computed as fast as the whole, however small they are.
"""

import argparse
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

import keras
import tensorflow as tf
from recompute.models import MODELS

from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.expense import EXPENSIVE, expense
from fitguard.memory.recomputing.graph import Output, read_graph, run_on_paper, size_of_output
from fitguard.memory.recomputing.repeatable import is_repeatable

TRACED_ROWS = 251
"""A prime: an axis that it divides has the rows of the batch in it."""
SHAPES_ONLY = frozenset(("Shape", "ShapeN", "Size", "Rank"))
LINKS = (12, 25, 50)
"""GB/s, in each direction."""
CARDS = (1.0, 4.8)
"""TB/s, of the memory of the card."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--rows", default="256")
    parser.add_argument("--room-gib", default="0", help="of the card, for what waits")
    given = parser.parse_args()
    print(
        f"{'':16}{'rows':>6}{'room':>6}{'passes':>7}{'to host':>8}{'back':>7}"
        + "".join(f"{f's at {link}':>9}" for link in LINKS)
        + "".join(f"{f'step {card}':>9}" for card in CARDS)
        + f"{'again':>7}"
        + "".join(f"{f'{card} at {link}':>15}" for card, link in zip(CARDS, LINKS[1:], strict=True))
    )
    for name in given.models.split(","):
        nodes = trace(name, given.side)
        for rows in map(int, given.rows.split(",")):
            for room in map(float, given.room_gib.split(",")):
                print_row(name, nodes, rows, room)


def print_row(name: str, nodes: Sequence[Node], rows: int, room_gib: float) -> None:
    """Of one network."""
    count = count_crossing(nodes, room_gib * 2**30 * TRACED_ROWS / rows)
    scale = rows / TRACED_ROWS / 1e9
    to_host, from_host = count.to_host_bytes * scale, count.from_host_bytes * scale
    links = [max(to_host, from_host) / link for link in LINKS]
    steps = [sum(map(expense, nodes)) * scale / card / 1e3 for card in CARDS]
    times = 1 + count.again
    at_best = [max(link / step, times) for link, step in zip(links[1:], steps, strict=True)]
    in_turn = [
        times + (to_host + from_host) / link / step
        for link, step in zip(LINKS[1:], steps, strict=True)
    ]
    print(
        f"{name:16}{rows:6}{room_gib:6.0f}{count.passes:7}{to_host:8.1f}{from_host:7.1f}"
        + "".join(f"{one:9.2f}" for one in links)
        + "".join(f"{one:9.3f}" for one in steps)
        + f"{count.again:7.2f}"
        + "".join(f"{one:8.1f} -{other:5.1f}" for one, other in zip(at_best, in_turn, strict=True)),
    )


def trace(name: str, side: int) -> list[Node]:
    """The nodes of a step."""
    keras.backend.clear_session()
    model = MODELS[name](side)
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    model.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=False)
    optimizer.build(model.trainable_variables)
    labels = (TRACED_ROWS, side, side) if name == "unet" else (TRACED_ROWS,)
    step = tf.function(lambda *batch: model.train_step(batch), autograph=False)
    traced = step.get_concrete_function(
        tf.TensorSpec((TRACED_ROWS, side, side, 3)), tf.TensorSpec(labels, tf.int32)
    )
    return read_graph(traced.graph)


@dataclass(frozen=True)
class Count:
    """Of one step.

    Args:
        passes: How often all parts are gone through.
        again: What is computed more than once, as a part of the step.
    """

    passes: int
    to_host_bytes: float
    from_host_bytes: float
    again: float


def count_crossing(nodes: Sequence[Node], room_bytes: float) -> Count:
    """What crosses the link in one step, with so much room on the card for what waits."""
    order = run_on_paper(nodes).nodes
    levels, backward = number_passes(order), find_backward(order)
    forward = [node for node in order if node not in backward]
    kept = frozenset[Output]().union(*Crossing(levels).list_reads(forward).values())
    crossing = Crossing(levels, backward, kept)
    reads = crossing.list_reads(order)
    passes = 1 + max(level for node, level in levels.items() if _has_rows(node))
    uses: dict[Output, list[int]] = {}
    for level, given in sorted(reads.items()):
        for one in given:
            uses.setdefault(one, [levels[one[0]]]).append(level)
    again = sum(expense(node) for _, node in crossing.again)
    return Count(passes, *move(uses, passes, room_bytes), again / sum(map(expense, order)))


def move(uses: dict[Output, list[int]], passes: int, room_bytes: float) -> tuple[float, float]:
    """Bytes to the host and back, where what is needed soonest stays on the card.

    Args:
        uses: In which passes each is made and read; the batch is in host memory from the start.
    """
    card: dict[Output, float] = {}
    host = {one: size_of_output(one) if one[0].op == "Placeholder" else 0.0 for one in uses}
    gone = back = 0.0
    for level in range(passes):
        for one, when in uses.items():
            if level in when:
                is_new = level == when[0] and one[0].op != "Placeholder"
                back += 0 if is_new else size_of_output(one) - card.get(one, 0)
                card[one] = size_of_output(one)
        room = room_bytes
        coming = {one: [use for use in uses[one] if use > level] for one in card}
        for one in sorted(card, key=lambda one: coming[one][:1] or [passes]):
            stays = min(card[one], room) if coming[one] else 0
            room -= stays
            leaves = size_of_output(one) - stays - host[one] if coming[one] else 0
            gone += max(leaves, 0)
            host[one] += max(leaves, 0)
            card[one] = stays
    return gone, back


def number_passes(order: Sequence[Node]) -> dict[Node, int]:
    """The first pass in which each node can run."""
    levels: dict[Node, int] = {}
    for node in order:
        given = [producer for producer, _ in node.inputs]
        if node.op == "SquaredDifference":
            # Mean and variance are found in one pass: those of parts can be merged.
            given = list(filter(_has_rows, given))
        waits = [levels[one] + _adds_up_rows(one) for one in given]
        levels[node] = 0 if node.op in SHAPES_ONLY else max(waits, default=0)
    return levels


def find_backward(order: Iterable[Node]) -> set[Node]:
    """What reads gradients, or makes them."""
    found: set[Node] = set()
    for node in order:
        if "gradient_tape" in node.name or any(given in found for given, _ in node.inputs):
            found.add(node)
    return found


class Crossing:
    """Finds what is read from host memory, for values of earlier passes.

    Args:
        levels: The pass of each node.
        backward: Nodes of the way back.
        kept: What is in host memory when the way back begins; what it needs of the way forward is
            computed again from that.

    Attributes:
        again: What is computed again, and in which pass.
    """

    def __init__(
        self,
        levels: dict[Node, int],
        backward: Set[Node] = frozenset(),
        kept: Set[Output] = frozenset(),
    ) -> None:
        self._levels, self._backward, self._kept = levels, backward, kept
        self._known: dict[tuple[Output, bool], tuple[Set[Output], Set[Node]]] = {}
        self.again: set[tuple[int, Node]] = set()

    def list_reads(self, order: Iterable[Node]) -> dict[int, set[Output]]:
        """For each pass."""
        reads: dict[int, set[Output]] = {}
        for node in order:
            level = self._levels[node]
            for given in node.inputs:
                if self._levels[given[0]] < level and node.op not in SHAPES_ONLY:
                    sources, between = self._trace_back(given, node in self._backward)
                    reads.setdefault(level, set()).update(sources)
                    self.again.update((level, one) for one in between)
        return reads

    def _trace_back(self, output: Output, is_back: bool) -> tuple[Set[Output], Set[Node]]:
        """What is read for it, and what is computed from that."""
        if (output, is_back) not in self._known:
            self._known[output, is_back] = self._choose(output, is_back)
        return self._known[output, is_back]

    def _choose(self, output: Output, is_back: bool) -> tuple[Set[Output], Set[Node]]:
        node = output[0]
        itself = frozenset((output,)), frozenset[Node]()
        if not _has_rows(node):
            return frozenset(), frozenset()
        if node.op == "Placeholder" or output in self._kept:
            return itself
        is_forward = node not in self._backward
        if is_forward and not is_repeatable(node):
            return itself
        given = [self._trace_back(one, is_back) for one in node.inputs]
        sources = frozenset[Output]().union(*(read for read, _ in given))
        between = frozenset((node,)).union(*(made for _, made in given))
        is_cheap = node.op not in EXPENSIVE and _sum_up(sources) <= size_of_output(output)
        return (sources, between) if is_cheap or (is_back and is_forward) else itself


def _has_rows(node: Node) -> bool:
    return any(axis and axis % TRACED_ROWS == 0 for shape in node.shapes for axis in shape or ())


def _adds_up_rows(node: Node) -> bool:
    given = any(_has_rows(producer) for producer, _ in node.inputs)
    return given and not _has_rows(node) and node.op not in SHAPES_ONLY


def _sum_up(outputs: Iterable[Output]) -> int:
    return sum(map(size_of_output, outputs))


if __name__ == "__main__":
    main()
