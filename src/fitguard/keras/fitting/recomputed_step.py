"""A train step in less memory: the batch stays whole, and part of the step is computed twice."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of as keras_of
from fitguard.keras.microbatch.cutting import Layout, specs_of
from fitguard.keras.microbatch.library import library_of
from fitguard.memory.recomputing.choosing import Recomputation
from fitguard.memory.recomputing.recomputed import RecomputedFunction


class RecomputedStep:
    """Takes the optimizer step that the model's own train function would take.

    Args:
        model: Compiled and built, of Keras 2 or Keras 3, on one device.
        share: Of the memory that the step of the first batch takes as it is, without variables.
        element_spec: That of the data, where there is one: Keras traces its step for it, and what
            is computed may depend on whether the number of rows is known.
        told_nothing: Called where nothing can be saved.
    """

    def __init__(
        self,
        model: Any,
        share: float,
        element_spec: Any = None,
        told_nothing: Callable[[], None] = lambda: None,
    ) -> None:
        self._model = model
        self._share = share
        self._element_spec = element_spec
        self._tell_nothing = told_nothing
        self._library = library_of(model)
        self._steps: dict[Any, RecomputedFunction] = {}

    @property
    def way(self) -> Recomputation | None:
        """What is computed twice for the first batch; None before it was traced."""
        return next((step.way for step in self._steps.values() if step.way is not None), None)

    @property
    def drawing(self) -> tuple[str, ...]:
        """Kinds of operations that draw other random numbers than those of the plain step."""
        return next((step.drawing for step in self._steps.values()), ())

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

            def take(*leaves: Any) -> Any:
                data = layout.batch(list(leaves))
                return model.distribute_strategy.run(model.train_step, args=(data,))

            autograph = library is not None and library.generation == 2
            self._steps[layout.key] = RecomputedFunction(
                tf.function(take, autograph=autograph),
                self._share,
                jit_compile=uses_xla(model),
                widen=self._widen,
                told_nothing=self._tell_nothing,
            )
        return self._steps[layout.key]

    def _widen(self, specs: Sequence[Any]) -> Sequence[Any]:
        """What Keras traces its step for: data seldom say how many rows a batch has."""
        wide = specs_of(self._element_spec)
        fitting = len(wide) == len(specs) and all(
            one.is_compatible_with(other) for one, other in zip(wide, specs, strict=True)
        )
        return wide if fitting else specs


def describe_not_recomputable(model: Any) -> str:
    """Why the step cannot be recomputed: a sentence; empty where it can."""
    if model.distribute_strategy.num_replicas_in_sync > 1:
        return "The model has several replicas: fitguard recomputes on one device only."
    if model.run_eagerly:
        return "The model runs eagerly: there is no graph of its step to change."
    if uses_xla(model) and not tf.config.list_physical_devices("GPU"):
        return "XLA on a CPU undoes recomputation: it computes only once what is the same."
    return ""
