"""Micro-batches of Keras 3 on TensorFlow."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from fitguard.keras.microbatch.keras3 import batchwise_layers, passes, variables
from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments


class Keras3:
    """What micro-batches need to know of Keras 3; see `Library`."""

    def patches(self) -> list[Patch]:
        return passes.patches()

    def own_step(self, model: Any, name: str) -> bool:
        return passes.own_step(model, name)

    def first_of(self, data: Any) -> Any:
        return passes.first_of(data)

    def trackers(self, model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:
        return passes.trackers(model, whole, rows_are_known)

    def counting_once(self, model: Any, split: Split) -> AbstractContextManager[None]:  # noqa: ARG002
        """The patches do it."""
        return nullcontext()

    def forward(self, model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
        return passes.forward(model, data, split, training)

    def gradients(self, model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        return passes.gradients(model, data, split)

    def evaluated(self, model: Any, data: Any, split: Split) -> Any:
        return passes.evaluated(model, data, split)

    def counted(self, model: Any, training: bool) -> None:
        """Keras 3 counts in the optimizer only."""

    def build(self, model: Any, data: Any) -> None:
        passes.build(model, data)

    def build_optimizer(self, model: Any) -> None:
        passes.build_optimizer(model)

    def not_state(self, model: Any) -> set[int]:
        return variables.not_state(model)

    def may_move(self, model: Any) -> list[Any]:
        return variables.may_move(model)

    def moving_moments(self, model: Any) -> list[MovingMoments]:
        return variables.moving_moments(model)

    def layers_that_see_the_batch(self, model: Any) -> list[str]:
        return batchwise_layers.layers_that_see_the_batch(model)
