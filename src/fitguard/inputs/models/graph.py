"""The graph of a model: which layer reads which values, nested models opened."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from fitguard.contract.nodes import functional_of, nodes_of
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.kinds import kind

MOST_OPENED = 2_000
"""Models that call one another several times are opened so often, not two to the power of that."""


@dataclass(frozen=True)
class Step:
    """One call of a layer or an operation.

    Args:
        reads, makes: Numbers of the values, the same throughout a graph.
        inference: Whether it is always called with `training=False`.
    """

    layer: Any
    reads: tuple[int, ...]
    makes: tuple[int, ...]
    inference: bool = False


@dataclass
class Graph:
    """The calls of a model in the order in which they are made."""

    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    steps: list[Step] = field(default_factory=list)

    def maker(self, value: int) -> Step | None:
        """The step that makes a value; None for an input."""
        return next((step for step in self.steps if value in step.makes), None)

    def follow(self, values: Iterable[int], passes: Callable[[Step], bool]) -> list[Step]:
        """The steps reached from these values, in order; behind one that does not pass, none."""
        live = set(values)
        reached = []
        for step in self.steps:
            if live.intersection(step.reads):
                reached.append(step)
                if passes(step):
                    live.update(step.makes)
        return reached


class Unclear(Exception):
    """The graph cannot be drawn."""


def draw(model: Any) -> Graph | None:
    """The graph of a functional or sequential model; None of one that has code of its own."""
    return ask(lambda: _Drawing().draw_model(model), None) if _is_drawn(model) else None


def _is_drawn(layer: Any) -> bool:
    return kind(layer) in ("Functional", "Sequential")


class _Drawing:
    """Numbers the values, and opens nested models as often as they are called."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.values = 0
        self.opened = 0

    def draw_model(self, model: Any) -> Graph:
        functional = functional_of(model)
        inputs = self._number_values(1 if functional is None else len(functional.inputs))
        outputs = self._open(model, inputs, inference=False)
        return Graph(inputs, outputs, _select_needed_steps(self.steps, outputs))

    def _number_values(self, count: int) -> tuple[int, ...]:
        self.values += count
        return tuple(range(self.values - count, self.values))

    def _open(self, model: Any, reads: tuple[int, ...], inference: bool) -> tuple[int, ...]:
        functional = functional_of(model)
        if functional is None:
            return self._chain(model, reads, inference)
        if len(functional.inputs) != len(reads):
            raise Unclear
        known = dict(zip(map(id, functional.inputs), reads, strict=True))
        for node in nodes_of(functional):
            if all(made in known for made in node.makes):
                continue
            makes = self._call(
                node.layer,
                tuple(known[read] for read in node.reads),
                len(node.makes),
                inference or node.training is False,
            )
            known.update(zip(node.makes, makes, strict=True))
        return tuple(known[id(output)] for output in functional.outputs)

    def _chain(self, model: Any, reads: tuple[int, ...], inference: bool) -> tuple[int, ...]:
        for layer in model.layers:
            reads = self._call(layer, reads, 1, inference)
        return reads

    def _call(
        self, layer: Any, reads: tuple[int, ...], count: int, inference: bool
    ) -> tuple[int, ...]:
        if _is_drawn(layer) and self.opened < MOST_OPENED:
            self.opened += 1
            drawn, numbered = len(self.steps), self.values
            makes = ask(lambda: self._open(layer, reads, inference), ())
            if len(makes) == count:
                return makes
            # Its insides cannot be matched with the call: it stands as one step.
            del self.steps[drawn:]
            self.values = numbered
        makes = self._number_values(count)
        self.steps.append(Step(layer, reads, makes, inference))
        return makes


def _select_needed_steps(steps: list[Step], outputs: tuple[int, ...]) -> list[Step]:
    """The steps that lead to an output: what computes a mask in Keras 3 does not."""
    wanted = set(outputs)
    needed = []
    for step in reversed(steps):
        if wanted.intersection(step.makes):
            wanted.update(step.reads)
            needed.append(step)
    return needed[::-1]
