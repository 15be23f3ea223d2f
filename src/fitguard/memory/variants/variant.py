"""What comes of the attempt to make another version of a training."""

from collections.abc import Callable
from dataclasses import dataclass

from fitguard.memory.training import Training
from fitguard.words import say_error


@dataclass(frozen=True)
class Variant:
    """Another version of a training; or None, and why there is none."""

    training: Training | None
    reason: str = ""


class CannotBeMade(Exception):
    """The model has no such version; the message says why, in words for the user."""


def attempt(make: Callable[[], Training]) -> Variant:
    """What `make` gives, or why it gave nothing: the model's layers are the user's code."""
    try:
        return Variant(make())
    except CannotBeMade as refusal:
        return Variant(None, str(refusal))
    except Exception as error:
        problem = say_error(error).splitlines()[0][:200]
        return Variant(None, f"the model could not be built a second time ({problem})")
