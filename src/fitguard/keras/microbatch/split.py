"""The micro-batch that is being traced: which rows of the whole batch it has."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf


@dataclass
class Findings:
    """What was seen while a step was traced.

    Args:
        assigned: Variables that the step writes, by id.
        divisors: How many loss values are divided by a number that the data decide.
        items: Names of the losses that are one number for all rows.
        notes: Sentences on what is not as on the whole batch.
        updated: Ids of the metrics that were updated.
    """

    assigned: dict[int, Any] = field(default_factory=dict)
    divisors: int = 0
    items: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    updated: set[int] = field(default_factory=set)

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)


@dataclass
class Split:
    """A piece of the whole batch.

    Args:
        start: Rows before it, a scalar.
        rows: Rows in it.
        whole: Rows of the whole batch.
        jit: Compiled with XLA.
        totals: By what the losses of the whole batch are divided, for those where the data decide;
            None while that is being found out.
        sums: For each loss that is one number for all rows, 1 where it is a sum over them, 0 where
            it is a mean.
        exact: Losses are weighted one by one; otherwise the caller weights the whole step by rows.
        trial: Nothing is written.
        trackers: Tells what a metric of the loss weights the whole batch with, by id of the metric;
            asked again and again, since metrics may be made while the step is traced.
    """

    start: Any
    rows: Any
    whole: Any
    jit: bool = False
    totals: Any = None
    sums: Any = None
    exact: bool = True
    trial: bool = False
    trackers: Callable[[], dict[int, Any]] = dict
    findings: Findings = field(default_factory=Findings)
    divisors: list[Any] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    mask_valid: Any = None
    graph: Any = field(default_factory=tf.compat.v1.get_default_graph)

    @property
    def share(self) -> Any:
        """Part of the whole batch that this piece is."""
        return tf.cast(self.rows, "float32") / tf.cast(self.whole, "float32")

    def part_of_total(self, divisor: Any) -> Any:
        """What a mean over this piece counts in the mean over the whole batch."""
        divisor = tf.cast(divisor, "float32")
        self.divisors.append(divisor)
        self.findings.divisors = max(self.findings.divisors, len(self.divisors))
        if self.totals is None:
            return tf.ones(())
        return tf.math.divide_no_nan(divisor, self.totals[len(self.divisors) - 1])

    def weight_of_item(self, value: Any, name: str) -> Any:
        """What a loss that is one number for the piece counts in that of the whole batch."""
        index = len(self.items)
        self.items.append(tf.reduce_sum(tf.cast(value, "float32")))
        if index == len(self.findings.items):
            self.findings.items.append(name)
        if self.totals is None:
            return tf.ones(())
        return self.sums[index] + (1.0 - self.sums[index]) * self.share


class _Current(threading.local):
    split: Split | None = None


_current = _Current()


def current() -> Split | None:
    """The piece that this thread traces; None where it does not."""
    return _current.split


@contextlib.contextmanager
def tracing(split: Split) -> Iterator[Split]:
    """This thread traces `split` meanwhile."""
    before = _current.split
    _current.split = split
    try:
        yield split
    finally:
        _current.split = before


def in_own_graph(split: Split) -> bool:
    """Whether the code runs in the step itself, and not in a `tf.function` of the user inside it.

    Such a function keeps its trace, and would carry what belongs to the micro-batch elsewhere.
    """
    graph = tf.compat.v1.get_default_graph()
    while graph is not split.graph and type(graph).__name__ in _CONTROL_FLOW:
        graph = graph.outer_graph
    return graph is split.graph


_CONTROL_FLOW = ("CondBranchFuncGraph", "WhileCondFuncGraph", "WhileBodyFuncGraph")
