"""The traced steps of a model, one for each structure of its batches."""

from collections.abc import Callable
from typing import Any

from fitguard.keras.microbatch.cutting import Layout
from fitguard.keras.microbatch.stepping import Stepping
from fitguard.memory.recomputing.recomputation import Recomputation

Make = Callable[[Layout, list[list[Any]], list[Any] | None], Stepping]
"""Makes a step for a batch: its layout, the tensors of each replica's share, and a signature where
that is known.
"""


class Steppings:
    """Finds the step for a batch, or makes one.

    A batch that differs from an earlier one in its sizes only, as sequences of another length do,
    gets a step that takes both, so that tracing comes to an end.
    """

    def __init__(self, make: Make) -> None:
        self._make = make
        self._made: list[Stepping] = []

    @property
    def notes(self) -> list[str]:
        """What was seen to differ from the whole batch."""
        return list(dict.fromkeys(note for step in self._made for note in step.findings.notes))

    @property
    def asides(self) -> list[str]:
        """Likewise, of what does not change the training."""
        return list(dict.fromkeys(note for step in self._made for note in step.findings.asides))

    @property
    def way(self) -> Recomputation | None:
        """What of a piece is computed twice."""
        return next((step.way for step in self._made if step.way is not None), None)

    def of(self, layout: Layout, leaves: list[list[Any]]) -> Stepping:
        for step in self._made:
            if step.accepts(layout, leaves):
                return step
        for step in self._made:
            specs = step.wider_for(layout, leaves)
            if specs is not None:
                self._made.remove(step)
                break
        else:
            specs = None
        made = self._make(layout, leaves, specs)
        self._made.append(made)
        return made

    def forget(self) -> None:
        """Drop what was traced."""
        self._made = []
