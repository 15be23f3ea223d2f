"""Where a model can be cut: between two parts a single tensor passes."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fitguard.contract.nodes import raw_nodes
from fitguard.memory.variants.variant import CannotBeMade


@dataclass(frozen=True)
class Part:
    """A part of a model from one symbolic tensor to another.

    Args:
        worth_it: Whether recomputing it saves memory: not for the last part, whose backward pass
            begins at once, nor where the input is no float, which has no gradient.
    """

    reads: Any
    makes: Any
    worth_it: bool


@dataclass(frozen=True)
class _Cut:
    """A tensor that alone passes from what is before to what is behind.

    Args:
        scalars: What the tensor has, per sample.
        before: What all tensors before it have, per sample.
    """

    tensor: Any
    scalars: int
    before: int


def parts_of(functional: Any) -> list[Part]:
    """The parts of a functional model with one input and output, so that the step holds least.

    Raises:
        CannotBeMade: It cannot be cut.
    """
    whole, cuts = _cuts(functional)
    chosen = min(
        _choices(cuts, whole), key=lambda choice: _count_held_scalars(choice, whole), default=[]
    )
    if not chosen:
        raise CannotBeMade("there is no place in the model where a single tensor passes")
    ends = [functional.inputs[0], *(cut.tensor for cut in chosen), functional.outputs[0]]
    return [
        Part(reads, makes, makes is not ends[-1] and "float" in str(reads.dtype))
        for reads, makes in itertools.pairwise(ends)
    ]


def _cuts(functional: Any) -> tuple[int, list[_Cut]]:
    """The scalars of all tensors per sample, and the places where the graph can be cut."""
    calls = [node for node in raw_nodes(functional) if not node.is_input]
    last_read: dict[int, int] = {}
    for position, node in enumerate(calls):
        last_read.update((id(tensor), position) for tensor in node.input_tensors)
    last_read[id(functional.outputs[0])] = len(calls)
    alive = {id(functional.inputs[0])}
    whole = 0
    cuts = []
    for position, node in enumerate(calls):
        whole += sum(map(_scalars, node.outputs))
        alive |= {id(tensor) for tensor in node.outputs if id(tensor) in last_read}
        alive = {tensor for tensor in alive if last_read[tensor] > position}
        first = node.outputs[0]
        if alive == {id(first)} and first is not functional.outputs[0]:
            cuts.append(_Cut(first, _scalars(first), whole))
    return whole, cuts


def _scalars(tensor: Any) -> int:
    return math.prod(length or 1 for length in tensor.shape)


def _choices(cuts: list[_Cut], whole: int) -> Iterator[list[_Cut]]:
    """Cuts into parts of about the same size, few parts first."""
    for count in range(2, len(cuts) + 2):
        share = whole / count
        chosen: list[_Cut] = []
        for cut in cuts:
            start = chosen[-1].before if chosen else 0
            if cut.before - start >= share:
                chosen.append(cut)
        if chosen:
            yield chosen


def _count_held_scalars(chosen: list[_Cut], whole: int) -> int:
    """What is held at most: all tensors between parts, and those of the largest part."""
    bounds = [0, *(cut.before for cut in chosen), whole]
    largest = max(end - start for start, end in itertools.pairwise(bounds))
    return sum(cut.scalars for cut in chosen) + largest
