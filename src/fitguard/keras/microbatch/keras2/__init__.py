"""Micro-batches of tf_keras, the Keras 2 that lives on."""

from contextlib import AbstractContextManager
from typing import Any

from fitguard.keras.microbatch.keras2 import batchwise_layers, losses, passes, variables
from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments


class TfKeras:
    """What micro-batches need to know of tf_keras; see `Library`."""

    def patches(self) -> list[Patch]:
        return passes.patches()

    def own_step(self, model: Any, name: str) -> bool:
        return passes.own_step(model, name)

    def first_of(self, data: Any) -> Any:
        return passes.first_of(data)

    def trackers(self, model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:  # noqa: ARG002
        return passes.trackers(model, whole)

    def counting_once(self, model: Any, split: Split) -> AbstractContextManager[None]:
        return losses.counting_once(model, split)

    def forward(self, model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
        return passes.forward(model, data, split, training)

    def gradients(self, model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        return passes.gradients(model, data, split)

    def evaluated(self, model: Any, data: Any, split: Split) -> Any:
        return passes.evaluated(model, data, split)

    def counted(self, model: Any, training: bool) -> None:
        counter = model._train_counter if training else model._test_counter
        counter.assign_add(1)

    def build(self, model: Any, data: Any) -> None:
        passes.build(model, data)

    def build_optimizer(self, model: Any) -> None:
        """tf_keras makes them by itself in time."""

    def not_state(self, model: Any) -> set[int]:
        return variables.not_state(model)

    def may_move(self, model: Any) -> list[Any]:
        return list(model.non_trainable_variables)

    def moving_moments(self, model: Any) -> list[MovingMoments]:
        return variables.moving_moments(model)

    def layers_that_see_the_batch(self, model: Any) -> list[str]:
        return batchwise_layers.layers_that_see_the_batch(model)
