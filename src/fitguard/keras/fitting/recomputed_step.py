"""A train step in less memory: the batch stays whole, and part of the step is computed twice."""

from typing import Any

import tensorflow as tf

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of as keras_of
from fitguard.keras.microbatch.cutting import Layout
from fitguard.keras.microbatch.library import library_of
from fitguard.memory.recomputing.choosing import Recomputation
from fitguard.memory.recomputing.recomputed import RecomputedFunction


class RecomputedStep:
    """Takes the optimizer step that the model's own train function would take.

    Args:
        model: Compiled and built, of Keras 2 or Keras 3, on one device.
        share: Of the memory that the step of the first batch takes as it is, without variables.
    """

    def __init__(self, model: Any, share: float) -> None:
        self._model = model
        self._share = share
        self._library = library_of(model)
        self._steps: dict[Any, RecomputedFunction] = {}

    @property
    def way(self) -> Recomputation | None:
        """What is computed twice for the first batch; None before it was traced."""
        return next((step.way for step in self._steps.values()), None)

    def prepare(self, batch: Any) -> None:
        """Trace the step for batches of this shape; no variable is changed.

        Raises:
            NothingToRecompute: where it cannot be had in less memory.
        """
        layout = Layout(batch)
        self._find(layout).prepare(*layout.leaves(batch))

    def __call__(self, batch: Any) -> Any:
        """Take one step; the logs are those of the model's own train function."""
        layout = Layout(batch)
        logs = self._find(layout)(*layout.leaves(batch))
        self._library.count_step(self._model, training=True)
        return logs

    def _find(self, layout: Layout) -> RecomputedFunction:
        """The step for batches of this structure."""
        if layout.key not in self._steps:
            model = self._model
            if model.built:
                self._library.build_optimizer(model)
            library = keras_of(model)
            self._steps[layout.key] = RecomputedFunction(
                lambda *leaves: model.distribute_strategy.run(
                    model.train_step, args=(layout.batch(list(leaves)),)
                ),
                self._share,
                jit_compile=uses_xla(model),
                autograph=library is not None and library.generation == 2,
            )
        return self._steps[layout.key]


def describe_not_recomputable(model: Any) -> str:
    """Why the step cannot be recomputed: a sentence; empty where it can."""
    if model.distribute_strategy.num_replicas_in_sync > 1:
        return "The model has several replicas: fitguard recomputes on one device only."
    if model.run_eagerly:
        return "The model runs eagerly: there is no graph of its step to change."
    if uses_xla(model) and not tf.config.list_physical_devices("GPU"):
        return "XLA on a CPU undoes recomputation: it computes only once what is the same."
    return ""
