"""The micro-batch that is being traced: which rows of the whole batch it has."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from fitguard.keras.microbatch.divisions import divides_by_rows
from fitguard.keras.microbatch.identity import identity

STEP, RETURNED = "step", "returned"
"""The gradients of a step of the user's own; numbers of it on which no weight depends."""
_DIVIDES = (
    "The loss is divided by a number that depends on the values of all rows, as a mean over what is"
    " not masked is. With micro-batches, each divides by its own number.",
    "A number that the step returns, or gives to a metric, is divided by one that depends on the"
    " values of all rows. With micro-batches, each divides by its own.",
)


@dataclass
class Findings:
    """What was seen while a step was traced.

    Args:
        assigned: Variables that the step writes, by id.
        divisors: How many loss values are divided by a number that the data decide.
        items: Names of the losses that are one number for all rows.
        states: Names of the variables, by id, for which a trial tells whether they move as with the
            whole batch.
        notes: Sentences on what is not as on the whole batch.
        asides: Sentences on what is not, but does not change the training.
        updated: Ids of the metrics that were updated.
        returned: How the values that a function returns are joined.
    """

    assigned: dict[int, Any] = field(default_factory=dict)
    divisors: int = 0
    items: list[str] = field(default_factory=list)
    states: dict[int, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asides: list[str] = field(default_factory=list)
    updated: set[int] = field(default_factory=set)
    returned: Any = None

    def note(self, sentence: str) -> None:
        if sentence not in self.notes:
            self.notes.append(sentence)

    def note_aside(self, sentence: str) -> None:
        if sentence not in self.asides:
            self.asides.append(sentence)


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
        tried: A trial has told, or will tell, which numbers of a step of the user's own are sums.
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
    tried: bool = False
    trackers: Callable[[], dict[int, Any]] = dict
    findings: Findings = field(default_factory=Findings)
    divisors: list[Any] = field(default_factory=list)
    items: list[Any] = field(default_factory=list)
    written: dict[int, Any] = field(default_factory=dict)
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
            if divides_by_rows(value):
                note = self.findings.note_aside if name == RETURNED else self.findings.note
                note(_DIVIDES[name == RETURNED])
        if self.totals is None:
            return tf.ones(())
        return self.sums[index] + (1.0 - self.sums[index]) * self.share

    def note_written(self, variable: Any, value: Any) -> None:
        """What a trial would write; a value from inside of a condition cannot be read here."""
        if tf.compat.v1.get_default_graph() is self.graph:
            value = tf.convert_to_tensor(value, variable.dtype)
            self.written[identity(variable)] = tf.reduce_sum(tf.cast(value, "float32"))

    def weigh_number(self, value: Any) -> Any:
        """A number of a step of the user's own, as it counts beside the rows of the piece."""
        if not self.tried:
            return value
        weight = self.weight_of_item(value, RETURNED) / self.share
        return value * tf.cast(weight, value.dtype)


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
