"""The state in which a step begins: where it runs out of memory, the step is taken back."""

from typing import Any

from fitguard.keras.state.model_state import ModelState
from fitguard.keras.state.randomness import READ_BY_DATA, read_random, write_random


class StepStart:
    """A copy of all that a step may change.

    Args:
        data_draw: Whether reading the data draws random numbers: threads read ahead meanwhile, so
            these generators cannot be set back.
    """

    def __init__(self, model: Any, *, data_draw: bool) -> None:
        self._state = ModelState(model)
        self._arrays = self._state.read()
        self._random = read_random()
        for name in READ_BY_DATA if data_draw else ():
            self._random.pop(name, None)

    @property
    def is_whole(self) -> bool:
        """False where the model has got variables since: nobody knows what they held before."""
        return not self._state.more_than(self._arrays)

    def put_back(self) -> None:
        """Make it so again."""
        self._state.write(self._arrays)
        write_random(self._random)
