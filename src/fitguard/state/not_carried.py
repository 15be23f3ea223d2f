"""What is said where something cannot go over."""

from typing import Any

from fitguard.schema.exit_codes import UsageError

ADVICE = (
    "Put it into a module that can be imported, make it inside of a function that goes over "
    "(a factory), or leave it out."
)


class NotCarried(Exception):
    """Raised where an object is packed: why it cannot go over, and what to do about it.

    Attributes:
        of: The `id` of the object.
    """

    def __init__(self, why: str, advice: str = ADVICE) -> None:
        super().__init__(why)
        self.advice = advice
        self.of = 0


class CannotCarry(UsageError):
    """An object that the training process cannot get."""


def cannot_carry(value: Any, where: str, why: str = "", advice: str = ADVICE) -> CannotCarry:
    """The error for an object, that names it and says what to do.

    Args:
        where: What the user calls it: `callbacks[0].writer`, or `scale (used by my_loss)`.
    """
    reason = f": {why.rstrip('.')}" if why else ""
    return CannotCarry(
        f"{where} cannot be taken to the training process{reason}.\n"
        f"  Received: {kind_of(value)}\n"
        "  Expected: what pickle or Keras can write down: data, plain values, Keras objects, "
        "functions and classes\n"
        f"  What to do: {advice}"
    )


def kind_of(value: Any) -> str:
    """The type of an object, with its module."""
    cls = type(value)
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )
