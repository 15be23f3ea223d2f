"""What micro-batches need to know of Keras 3 and of tf_keras: the same questions to both."""

from contextlib import AbstractContextManager
from typing import Any, Protocol

from fitguard.keras.microbatch.patches import Patch
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments


class Library(Protocol):
    """Keras 3 or tf_keras."""

    def patches(self) -> list[Patch]:
        """What is replaced while a piece is traced."""

    def own_step(self, model: Any, name: str) -> bool:
        """Whether the user wrote this method of the model."""

    def first_of(self, data: Any) -> Any:
        """A tensor of `x` that has the rows of the batch."""

    def trackers(self, model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:
        """What each metric of the loss weights the whole batch with, by id."""

    def counting_once(self, model: Any, split: Split) -> AbstractContextManager[None]:
        """Have means of the model count one number for the batch once, not once for each piece."""

    def forward(self, model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
        """The part of the loss that a piece has, and the model's outputs."""

    def gradients(self, model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        """Gradients of a piece, their variables, and the logs."""

    def evaluated(self, model: Any, data: Any, split: Split) -> Any:
        """The logs after a piece was evaluated."""

    def counted(self, model: Any, training: bool) -> None:
        """Count a step where the library's own train or test function does."""

    def build(self, model: Any, data: Any) -> None:
        """Make the model's variables."""

    def build_optimizer(self, model: Any) -> None:
        """Make the variables of the optimizer: without them a trace keeps the first loss scale."""

    def not_state(self, model: Any) -> set[int]:
        """Identities of variables that keep what each piece writes: metrics; and trainable ones."""

    def may_move(self, model: Any) -> list[Any]:
        """Variables that a forward pass may write."""

    def moving_moments(self, model: Any) -> list[MovingMoments]:
        """The statistics of normalisations that learn them."""

    def layers_that_see_the_batch(self, model: Any) -> list[str]:
        """A sentence for each layer and loss that looks at several rows at once."""


def library_of(model: Any) -> Library:
    """The library that a model is of."""
    if any(base.__module__.startswith("tf_keras.") for base in type(model).__mro__):
        from fitguard.keras.microbatch.keras2 import TfKeras

        return TfKeras()
    from fitguard.keras.microbatch.keras3 import Keras3

    return Keras3()
