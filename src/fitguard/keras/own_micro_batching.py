"""`micro_batch`: a step of the user's own, part by part."""

import functools
import warnings
from numbers import Integral
from typing import Any

from fitguard.keras.own_recomputing import require_share
from fitguard.schema.exit_codes import UsageError

_OTHER = "Expected: a step that gives the same in parts. Use a smaller batch, or exact=False."


def micro_batch(
    step: Any,
    rows: int,
    *,
    model: Any,
    optimizer: Any,
    exact: bool = True,
    share: float | None = None,
) -> Any:
    """A step that takes its batch in parts, and changes the weights once, as with the whole batch.

    Your code runs on each part, while the optimizer waits. The gradients are added up: weighted by
    rows where your loss is a mean over rows, as they are where it is a sum. Moving averages,
    counters and metrics move as with the whole batch, and random numbers of Keras 3 are those that
    each row would have had.

    Before its first step, it is tried on up to 8 rows from all over the batch, at once and in two
    parts: so it finds layers and losses that look at several rows at once, gradients that are
    clipped, what layers keep that is no mean over rows, and what a loss is. That a loss is divided
    by what the values of all rows decide is seen in the graph.

    All tensors among the arguments are cut along their first axis, but for scalars. Other arguments
    stay as they are. What your step returns is joined:

    - Numbers are the mean of those of the parts, weighted by rows, or their sum, as tried.
    - What is read from a Keras metric is what the metric says after the last part.
    - Tensors with a row for each row of the batch come one behind the other.

    What cannot be found: a step that looks at several rows only with later data.

    Args:
        step: A function of tensors, or a `tf.function`, that computes gradients and applies them
            once.
        rows: Of a part, at most.
        model: A Keras model that has all weights which the step trains.
        optimizer: The Keras optimizer with which the step applies its gradients.
        exact: False to train in parts also where that is another step; a warning says what differs.
        share: Of the memory of a part, without variables, in which it is trained: some of it is
            computed twice, as with `recompute`. None for all of it.

    Returns:
        The new function, to be called from Python.

    Raises:
        UsageError: for what is no step; when it is first called, for a step that applies gradients
            more or less than once, whose tensors have no common rows, or that is another step in
            parts.

    Example:
        >>> step = fitguard.keras.micro_batch(train_step, 32, model=model, optimizer=optimizer)
        >>> for images, labels in batches:
        ...     loss = step(images, labels)
    """
    if not isinstance(rows, Integral) or isinstance(rows, bool) or rows < 1:
        raise UsageError(f"Received rows={rows!r}. Expected a whole number, 1 or more.")
    if share is not None:
        require_share(share)
    if not callable(step) or hasattr(step, "train_step"):
        raise UsageError(
            f"Received step={step!r}. Expected a function of tensors that makes a step. A model"
            " that trains with `fit` gets its micro-batches from `fitguard run`."
        )
    from fitguard.keras.microbatch import require_trained

    require_trained(model, optimizer)
    return _MicroBatched(step, int(rows), model, optimizer, exact=exact, share=share)


class _MicroBatched:
    """What `micro_batch` returns.

    Attributes:
        micro_batched: The step that it takes in parts.
    """

    def __init__(
        self,
        step: Any,
        rows: int,
        model: Any,
        optimizer: Any,
        *,
        exact: bool,
        share: float | None,
    ) -> None:
        self._function = self.micro_batched = step
        self._rows = rows
        self._share = share
        self._model = model
        self._optimizer = optimizer
        self._exact = exact
        self._steps: dict[Any, Any] = {}
        self._told: set[str] = set()

    def __call__(self, *given: Any, **named: Any) -> Any:
        import tensorflow as tf

        from fitguard.keras.microbatch import Arguments

        if not tf.executing_eagerly():
            raise UsageError(
                "Received a call of a step in micro-batches from inside of a tf.function. Expected:"
                " a call from Python."
            )
        arguments = Arguments(given, named)
        step = self._find(arguments)
        # Before it has changed anything.
        self._tell(step.prepare(arguments.tensors, self._rows), exact=self._exact)
        returned = step(arguments.tensors, self._rows)
        self._tell(step.notes, exact=False)
        return returned

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method, it gets its object first."""
        return self if instance is None else functools.partial(self, instance)

    def _find(self, arguments: Any) -> Any:
        """The step for arguments that differ from these in their tensors only."""
        from fitguard.keras.microbatch import (
            MicroTrainStep,
            as_model,
            can_be_tried,
            describe_batch_statistics,
            describe_batchwise,
            describe_inseparable,
        )

        if no_rows := arguments.describe_no_rows():
            raise UsageError(no_rows)
        if arguments.key not in self._steps:
            adapted = as_model(self._function, arguments, self._model, self._optimizer)
            if refusal := describe_inseparable(adapted):
                raise UsageError(f"This step cannot be split. {refusal}")
            describe = describe_batch_statistics if can_be_tried(adapted) else describe_batchwise
            self._tell(describe(adapted), exact=self._exact)
            self._steps[arguments.key] = MicroTrainStep(adapted, share=self._share)
        return self._steps[arguments.key]

    def _tell(self, sentences: list[str], *, exact: bool) -> None:
        if sentences and exact:
            raise UsageError(f"This step cannot be split. {sentences[0]} {_OTHER}")
        for sentence in sentences:
            if sentence not in self._told:
                self._told.add(sentence)
                warnings.warn(f"fitguard.keras.micro_batch: {sentence}", stacklevel=3)
