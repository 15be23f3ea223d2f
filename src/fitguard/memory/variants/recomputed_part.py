"""A layer that keeps nothing between the passes but its input. Imports keras: load it late."""

from typing import Any

import keras


class RecomputedPart(keras.layers.Layer):  # type: ignore[misc]
    """Runs a part of a model, and runs it again for the backward pass.

    Args:
        part: A model with one input and one output.
    """

    def __init__(self, part: Any, **options: Any) -> None:
        super().__init__(**options)
        self.part = part

    def call(self, value: Any, training: bool | None = None) -> Any:
        """The part's output."""
        # Averages and seeds move on in the first run: the second must begin where that began.
        before = [
            (state, keras.ops.copy(state.value)) for state in self.part.non_trainable_variables
        ]
        ran = False

        def run(given: Any) -> Any:
            nonlocal ran
            if not ran:
                ran = True
                return self.part(given, training=training)
            with keras.StatelessScope(state_mapping=before):
                return self.part(given, training=training)

        return keras.remat(run)(value)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """As that of the part."""
        return self.part.compute_output_shape(input_shape)
