"""A train step in less memory: the batch stays whole, and part of the step is computed twice."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of as keras_of
from fitguard.contract.replicas import by_replica, count_local
from fitguard.keras.microbatch.cutting import Layout, specs_of
from fitguard.keras.microbatch.library import library_of
from fitguard.keras.microbatch.train_step import may_use_another_optimizer
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.recomputed import RecomputedFunction


class RecomputedStep:
    """Takes the optimizer step that the model's own train function would take.

    Under a strategy, each replica takes it with its share of the batch.

    Args:
        model: Compiled and built, of Keras 2 or Keras 3; all its replicas are of this process.
        share: Of the memory that the step of the first batch takes as it is, without variables; of
            that of one replica.
        element_spec: That of the data, where there is one: Keras traces its step for it, and what
            is computed may depend on whether the number of rows is known.
        told_more: Called with the share that is reached, where that is more; 1 for nothing.
        of_bytes: What the share is of, where that was another batch; 0 for the first one.
    """

    def __init__(
        self,
        model: Any,
        share: float,
        element_spec: Any = None,
        told_more: Callable[[float], None] = lambda _: None,
        of_bytes: int = 0,
    ) -> None:
        self._model = model
        self._share = share
        self._element_spec = element_spec
        self._tell_more = told_more
        self._of_bytes = of_bytes
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

    @property
    def keeps_images(self) -> bool:
        """Whether convolutions on a GPU round otherwise: their images are not turned."""
        return any(step.keeps_images for step in self._steps.values())

    def prepare(self, batch: Any) -> None:
        """Trace the step for batches of this shape; no variable is changed.

        Raises:
            NothingToRecompute: where it cannot be had in less memory.
        """
        layout, leaves = self._read(batch)
        self._find(layout).prepare(*leaves)

    def __call__(self, batch: Any) -> Any:
        """Take one step; the logs are those of the model's own train function."""
        layout, leaves = self._read(batch)
        logs = self._find(layout)(*leaves)
        self._library.count_step(self._model, training=True)
        return logs

    def _read(self, batch: Any) -> tuple[Layout, list[Any]]:
        """The structure of a batch, and its tensors: those of each replica, one after the other."""
        shares = by_replica(self._model.distribute_strategy, batch)
        layout = Layout(shares[0])
        return layout, [leaf for share in shares for leaf in layout.leaves(share)]

    def _find(self, layout: Layout) -> RecomputedFunction:
        """The step for batches of this structure."""
        if layout.key not in self._steps:
            model = self._model
            if model.built and not may_use_another_optimizer(model):
                self._library.build_optimizer(model)
            library = keras_of(model)

            strategy = model.distribute_strategy
            distribute, reduce_logs = map(
                tf.autograph.experimental.do_not_convert, (_distribute, self._library.reduce_logs)
            )

            def take(*leaves: Any) -> Any:
                data = layout.batch(distribute(strategy, leaves))
                logs = strategy.run(model.train_step, args=(data,))
                return logs if count_local(strategy) == 1 else reduce_logs(model, logs)

            autograph = library is not None and library.generation == 2
            self._steps[layout.key] = RecomputedFunction(
                tf.function(take, autograph=autograph),
                self._share,
                jit_compile=uses_xla(model),
                widen=self._widen,
                told_more=self._tell_more,
                of_bytes=self._of_bytes,
            )
        return self._steps[layout.key]

    def _widen(self, specs: Sequence[Any]) -> Sequence[Any]:
        """What Keras traces its step for: data seldom say how many rows a batch has."""
        wide = specs_of(self._element_spec) * count_local(self._model.distribute_strategy)
        fitting = len(wide) == len(specs) and all(
            one.is_compatible_with(other) for one, other in zip(wide, specs, strict=True)
        )
        return wide if fitting else specs


def _distribute(strategy: Any, leaves: Sequence[Any]) -> list[Any]:
    """Of the tensors of all replicas, each with those that stand in its place on the others."""
    replicas = count_local(strategy)
    if replicas == 1:
        return list(leaves)
    number = len(leaves) // replicas
    return [
        strategy.experimental_distribute_values_from_function(
            lambda context, place=place: leaves[context.replica_id_in_sync_group * number + place]
        )
        for place in range(number)
    ]


def describe_not_recomputable(model: Any) -> str:
    """Why the step cannot be recomputed: a sentence; empty where it can."""
    if why_not := _describe_replicas(model):
        return why_not
    if model.run_eagerly:
        return "The model runs eagerly: there is no graph of its step to change."
    if uses_xla(model) and not tf.config.list_physical_devices("GPU"):
        return "XLA on a CPU undoes recomputation: it computes only once what is the same."
    return ""


def _describe_replicas(model: Any) -> str:
    """Why a step of several replicas cannot be recomputed."""
    strategy = model.distribute_strategy
    replicas, name = strategy.num_replicas_in_sync, type(strategy).__name__
    if replicas == 1:
        return ""
    if not isinstance(strategy, tf.distribute.MirroredStrategy):
        return (
            f"The model was made under {name} with {replicas} replicas. fitguard recomputes several"
            " replicas only where they are those of a MirroredStrategy, in one process."
        )
    if uses_xla(model):
        return (
            f"The model has {replicas} replicas and is compiled with XLA. TensorFlow cannot compile"
            " a step that uses several devices: pass jit_compile=False to compile."
        )
    return ""
