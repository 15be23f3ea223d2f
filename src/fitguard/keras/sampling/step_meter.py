"""What steps took since the last sample: written by the training, taken by the sampler."""

import time
from typing import Any

from fitguard.keras.sampling.allocator import Allocator
from fitguard.monitor.sampling.host import Values
from fitguard.schema.run import Place

INPUT_EVERY_SECONDS = 5.0
"""A step whose data are timed costs milliseconds."""
_CALL_SECONDS = 0.001
"""What asking for a batch takes, though it be ready."""


class StepMeter:
    """Measures each step. What it does in the training's thread takes some microseconds.

    Attributes:
        allocator: None where there is none to be asked.
        place: Where the training is.
        wants_peak: Set by the sampler: the next step that ends shall take the allocator's peak.
    """

    def __init__(self) -> None:
        self.allocator: Allocator | None = None
        self.place = Place()
        self.wants_peak = False
        self._began: dict[int, tuple[float, int]] = {}
        self._input_at = 0.0
        self._steps: list[float] = []
        self._low: list[int] = []
        self._waits: list[float] = []
        self._elements: list[int] = []
        self._peak: int | None = None

    def step_ends(self, place: Place) -> None:
        """Behind a step: before callbacks, snapshots and the next batch."""
        moment = time.monotonic()
        self.place = place
        began, before = self._began.pop(place.fit, (0.0, place.total_steps))
        steps = place.total_steps - before
        if steps > 0:
            self._steps += [(moment - began) / steps] * steps
        if self.allocator is not None and (held := self.allocator.read()) is not None:
            self._low.append(held["current"])
            if self.wants_peak:
                self.wants_peak = False
                self._peak = self.allocator.take_peak()

    def step_begins(self, place: Place) -> None:
        """Before the next one, once all is done that is no part of it."""
        self._began[place.fit] = (time.monotonic(), place.total_steps)

    def pause(self) -> None:
        """What comes now is no step: the end of an epoch, a validation."""
        self._began.clear()

    def is_input_due(self) -> bool:
        """Whether to time how long the next step waits for its data."""
        moment = time.monotonic()
        if moment < self._input_at:
            return False
        self._input_at = moment + INPUT_EVERY_SECONDS
        return True

    def note_input(self, seconds: float, batches: list[Any]) -> None:
        """So long the training waited for these."""
        if batches:
            self._waits.append(max(0.0, seconds - _CALL_SECONDS) / len(batches))
            self._elements.append(max(count_elements(batch) for batch in batches))

    def take(self) -> Values:
        """By column; what did not happen since the last call is not there."""
        values: Values = {}
        steps, self._steps = self._steps, []
        low, self._low = self._low, []
        waits, self._waits = self._waits, []
        elements, self._elements = self._elements, []
        peak, self._peak = self._peak, None
        if steps:
            values["step_seconds"] = sum(steps) / len(steps)
            values["slowest_step_seconds"] = max(steps)
        if low:
            values["allocator_low_bytes"] = min(low)
        if waits:
            values["input_seconds"] = sum(waits) / len(waits)
            values["batch_elements"] = max(elements)
        if peak is not None:
            values["allocator_peak_bytes"] = peak
        return values


def count_elements(batch: Any) -> int:
    """Numbers in all tensors of a batch."""
    import tensorflow as tf

    total = 0
    for tensor in tf.nest.flatten(batch):
        shape = getattr(tensor, "shape", None)
        if shape is not None and None not in tuple(shape):
            size = 1
            for length in shape:
                size *= int(length)
            total += size
    return total
