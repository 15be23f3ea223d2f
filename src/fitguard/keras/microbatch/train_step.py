"""One optimizer step from several forward and backward passes, equal to that on the whole batch."""

from typing import Any

import tensorflow as tf

from fitguard.contract.held_variables import unwrap_variable
from fitguard.contract.libraries import has_own_step
from fitguard.keras.microbatch import cutting
from fitguard.keras.microbatch.accumulators import Accumulators
from fitguard.keras.microbatch.custom_step import take_own_step
from fitguard.keras.microbatch.cutting import Layout
from fitguard.keras.microbatch.identity import identities
from fitguard.keras.microbatch.joined_logs import PieceLogs, join_replicas
from fitguard.keras.microbatch.joined_returns import join_returned, weigh_returned
from fitguard.keras.microbatch.library import library_of
from fitguard.keras.microbatch.own_step import OwnStep
from fitguard.keras.microbatch.shares import this_replica
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.stepping import Stepping
from fitguard.keras.microbatch.steppings import Steppings
from fitguard.memory.recomputing.recomputation import Recomputation


class MicroTrainStep:
    """A train step that cuts each batch into micro-batches.

    For each micro-batch: forward, backward, gradients added up. Then one step of the optimizer.

    ```
    clear → [draw, forward, loss, backward, add, metrics] × pieces → optimizer
    ```

    Under a strategy, each replica cuts its share of the batch. Gradients are added up on each
    replica, and summed over replicas once, by the optimizer, as with the whole batch.

    Args:
        model: Compiled; of Keras 2 or Keras 3.
        jit_compile: Compile with XLA; None for what the model does.
        element_spec: That of the data iterator, where there is one. Keras weights the losses of
            several outputs with the rows of the batch only where it says how many they are.
        share: Of the memory of a micro-batch, without variables, in which it is trained: part of it
            is computed twice. None for all of it.

    Example:
        ```python
        step = MicroTrainStep(model)
        logs = step((x, y), rows=128)
        ```
    """

    def __init__(
        self,
        model: Any,
        *,
        jit_compile: bool | None = None,
        element_spec: Any = None,
        share: float | None = None,
    ) -> None:
        self._model = model
        self._share = share
        self._library = library_of(model)
        self._jit = bool(model.jit_compile if jit_compile is None else jit_compile)
        self._rows_are_known = cutting.says_rows(element_spec)
        self._own_step = has_own_step(model, "train_step")
        self._is_tried = self._own_step and can_be_tried(model)
        self._accumulators = Accumulators()
        self._steppings = Steppings(self._make_stepping)
        self._apply: Any = None

    @property
    def notes(self) -> list[str]:
        """What was seen to differ from the whole batch, once the step was traced."""
        return [*self._steppings.notes, *self._steppings.asides]

    @property
    def way(self) -> Recomputation | None:
        """What of a micro-batch is computed twice; None where nothing is."""
        return self._steppings.way

    def prepare(self, batch: Any, rows: int) -> list[str]:
        """Trace the step and try it on a few rows, with no variable changed.

        Args:
            rows: Of a micro-batch.

        Returns:
            Sentences on what changes the training; `notes` has more.
        """
        layout, leaves = cutting.read_shares(self._model.distribute_strategy, batch)
        stepping = self._steppings.of(layout, leaves)
        stepping.prepare(leaves, rows, self._accumulators.own)
        return self._steppings.notes

    def __call__(self, batch: Any, rows: int) -> Any:
        """Take one step; the logs are those of the model's own train function.

        Args:
            batch: One element of the data iterator.
            rows: Of a micro-batch; under a strategy, on each replica.
        """
        layout, leaves = cutting.read_shares(self._model.distribute_strategy, batch)
        stepping = self._steppings.of(layout, leaves)
        self._accumulators.clear()
        logs: list[list[PieceLogs]] = [[] for _ in leaves]
        sparse: list[list[Any]] = [[] for _ in leaves]
        for replica, share, (piece_logs, piece_rows) in stepping.pieces(
            leaves, rows, kept=self._accumulators.own
        ):
            logs[replica].append(PieceLogs(share, piece_logs))
            sparse[replica].append(piece_rows)
        self._library.count_step(self._model, training=True)
        self._take_step(
            [[_join_slices(parts) for parts in zip(*pieces, strict=True)] for pieces in sparse]
        )
        if stepping.findings.returned is not None:
            return join_returned(stepping.findings.returned, logs[0])
        return join_replicas(self._library, self._model, logs, stepping.findings)

    def release(self) -> None:
        """Give back the memory of the sums of gradients, and what was traced."""
        self._accumulators = Accumulators()
        self._steppings.forget()
        self._apply = None

    def _make_stepping(
        self, layout: Layout, leaves: list[list[Any]], specs: list[Any] | None
    ) -> Stepping:
        if self._model.built and not may_use_another_optimizer(self._model):
            self._library.build_optimizer(self._model)
        return Stepping(
            self._library,
            self._model,
            self._piece,
            layout,
            leaves,
            specs,
            trial=self._take if self._is_tried else None,
            training=True,
            jit=self._jit,
            exact=not self._own_step,
            rows_are_known=self._rows_are_known,
            share=self._share,
        )

    def _piece(self, data: Any, split: Split) -> tuple[Any, list[tuple[Any, Any]]]:
        take = self._take if self._own_step else self._gradients
        gradients, variables, logs = take(data, split)
        return logs, self._accumulators.add(gradients, variables)

    def _gradients(self, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        return self._library.gradients(self._model, data, split)

    def _take(self, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        gradients, variables, returned = take_own_step(self._model, data, split)
        if isinstance(self._model, OwnStep):
            returned = weigh_returned(returned, split, self._metrics())
        return gradients, variables, returned

    def _metrics(self) -> set[int]:
        found = (variable for metric in self._model.metrics for variable in metric.variables)
        return {one for variable in found for one in identities(unwrap_variable(variable))}

    def _take_step(self, sparse: list[list[tuple[Any, Any]]]) -> None:
        if not self._accumulators.variables:
            return
        if self._apply is None:
            plain = tf.autograph.experimental.do_not_convert(self._optimize)
            self._apply = plain
            if not self._model.run_eagerly:
                self._apply = tf.function(plain, reduce_retracing=True, jit_compile=self._jit)
        self._apply(sparse)

    def _optimize(self, sparse: list[list[tuple[Any, Any]]]) -> None:
        def in_replica() -> None:
            gradients = self._accumulators.total(sparse[this_replica()])
            pairs = zip(gradients, self._accumulators.variables, strict=True)
            self._model.optimizer.apply_gradients(list(pairs))

        self._model.distribute_strategy.run(in_replica)


def may_use_another_optimizer(model: Any) -> bool:
    """Whether the code of the model's own step decides which one it uses; its own may be idle."""
    return has_own_step(model, "train_step") and not isinstance(model, OwnStep)


def can_be_tried(model: Any) -> bool:
    """Whether a step of the user's own gives the same for the same rows, and may be taken twice."""
    return not model.run_eagerly and not library_of(model).layers_that_draw_others(model)


def _join_slices(parts: tuple[tuple[Any, Any], ...]) -> tuple[Any, Any]:
    values, indices = zip(*parts, strict=True)
    return tf.concat(values, axis=0), tf.concat(indices, axis=0)
