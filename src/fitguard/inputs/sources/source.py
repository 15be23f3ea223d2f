"""What every kind of data has in common: it is read once, then tells what was seen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from fitguard.schema.data import Field, Source, Split, Training
from fitguard.schema.model import ModelFacts

Progress = Callable[[str, int, int | None], None]
"""Told what is being read, how much is done, and of how much."""


@dataclass(frozen=True)
class Context:
    """What data is read for.

    Args:
        batch_size: As `fit` is given it for this split; it counts for arrays only.
    """

    model: ModelFacts
    training: Training
    split: Split
    batch_size: int | None = None
    progress: Progress | None = None


class Seen(NamedTuple):
    """What reading gave.

    Args:
        arrays: The fields of x as arrays, where they are; for comparing samples.
    """

    source: Source
    fields: tuple[Field, ...]
    arrays: tuple[np.ndarray[Any, Any], ...] = ()


class Readable(Protocol):
    """Data of one kind."""

    def read(self, deadline: float | None) -> Seen:
        """Look at it, until all is seen or the time is over; called once."""

    def hand_back(self) -> Any:
        """What `fit` is to be given for x."""
