"""A train step in less memory: the batch stays whole, and part of the step is computed twice."""

from typing import Any

import tensorflow as tf

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of as keras_of
from fitguard.keras.microbatch.cutting import Layout
from fitguard.keras.microbatch.library import library_of
from fitguard.memory.recomputing.choosing import Recomputation
from fitguard.memory.recomputing.recomputed import Recomputed, recompute


class NothingToRecompute(Exception):
    """No operation of the step can be computed again with less memory than it takes now."""


class RecomputedStep:
    """Takes the optimizer step that the model's own train function would take.

    Args:
        model: Compiled and built, of Keras 2 or Keras 3, on one device.
        share: Of the memory that the step of the first batch takes as it is, without variables.

    Attributes:
        way: What is computed twice for the first batch; None before that was traced.
    """

    def __init__(self, model: Any, share: float) -> None:
        self._model = model
        self._share = share
        self._library = library_of(model)
        self._made: dict[Any, tuple[Recomputed, Any]] = {}
        self.way: Recomputation | None = None

    def prepare(self, batch: Any) -> None:
        """Trace the step for batches of this shape; no variable is changed.

        Raises:
            NothingToRecompute: where it cannot be had in less memory.
        """
        self._find(batch)

    def __call__(self, batch: Any) -> Any:
        """Take one step; the logs are those of the model's own train function."""
        (made, structure), tensors = self._find(batch)
        found = made.call(tensors)
        self._library.count_step(self._model, training=True)
        return tf.nest.pack_sequence_as(structure, found, expand_composites=True)

    def _find(self, batch: Any) -> tuple[tuple[Recomputed, Any], list[Any]]:
        layout = Layout(batch)
        leaves = layout.leaves(batch)
        specs = tuple(map(tf.type_spec_from_value, leaves))
        key = (layout.key, specs)
        if key not in self._made:
            self._made[key] = self._make(layout, specs)
        return self._made[key], tf.nest.flatten(leaves, expand_composites=True)

    def _make(self, layout: Layout, specs: tuple[Any, ...]) -> tuple[Recomputed, Any]:
        model = self._model
        if model.built:
            self._library.build_optimizer(model)
        library = keras_of(model)
        traced = tf.function(
            lambda *leaves: model.distribute_strategy.run(
                model.train_step, args=(layout.batch(list(leaves)),)
            ),
            autograph=library is not None and library.generation == 2,
        ).get_concrete_function(*specs)
        of_bytes = self.way.whole_bytes if self.way is not None else 0
        made = recompute(traced, self._share, of_bytes, jit_compile=uses_xla(model))
        if made is None and self.way is not None:
            made = recompute(traced, 1.0, jit_compile=uses_xla(model))
        if made is None:
            raise NothingToRecompute
        self.way = self.way or made.way
        return made, traced.structured_outputs


def describe_not_recomputable(model: Any) -> str:
    """Why the step cannot be recomputed: a sentence; empty where it can."""
    if model.distribute_strategy.num_replicas_in_sync > 1:
        return "The model has several replicas: fitguard recomputes on one device only."
    if model.run_eagerly:
        return "The model runs eagerly: there is no graph of its step to change."
    if uses_xla(model) and not tf.config.list_physical_devices("GPU"):
        return "XLA on a CPU undoes recomputation: it computes only once what is the same."
    return ""
