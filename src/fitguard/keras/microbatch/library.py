"""What micro-batches need to know of Keras 2 and of Keras 3: the same questions to both."""

from contextlib import AbstractContextManager
from typing import Any, Protocol

from fitguard.contract import libraries
from fitguard.keras.microbatch.split import Split
from fitguard.keras.microbatch.state import MovingMoments


class Library(Protocol):
    """The modules `keras2` and `keras3`."""

    def trackers(self, model: Any, whole: Any, rows_are_known: bool) -> dict[int, Any]:
        """What each metric of the loss weights the whole batch with, by id."""

    def counting_once(self, model: Any, split: Split) -> AbstractContextManager[None]:
        """Have means of the model count one number for the batch once, not once for each piece."""

    def forward(self, model: Any, data: Any, split: Split, training: bool) -> tuple[Any, Any]:
        """The part of the loss that a piece has, and the model's outputs."""

    def gradients(self, model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
        """Gradients of a piece, their variables, and the logs."""

    def evaluate_piece(self, model: Any, data: Any, split: Split) -> Any:
        """The logs after a piece was evaluated."""

    def count_step(self, model: Any, training: bool) -> None:
        """Count a step where the library's own train or test function does."""

    def reduce_logs(self, model: Any, logs: Any) -> Any:
        """The logs of a step from those of its replicas."""

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
        """Sentences on layers and losses that look at several rows at once."""

    def layers_that_draw_others(self, model: Any) -> list[str]:
        """Sentences on layers that draw other random numbers for micro-batches."""


def library_of(model: Any) -> Library:
    """The library that a model is of."""
    library = libraries.library_of(model)
    if library is not None and library.generation == 2:
        from fitguard.keras.microbatch import keras2

        return keras2
    from fitguard.keras.microbatch import keras3

    return keras3
