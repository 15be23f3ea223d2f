"""What is said where something cannot go over."""

from typing import Any

from fitguard.schema.exit_codes import UsageError

ADVICE = (
    "Put it into a module that can be imported, make it inside of a function that goes over "
    "(a factory), or leave it out."
)


class CannotCarry(UsageError):
    """An object that the training process cannot get."""


def cannot_carry(value: Any, where: str, why: str = "", advice: str = ADVICE) -> CannotCarry:
    """The error for an object, that names it and says what to do.

    Args:
        where: What the user calls it: `callbacks[0].writer`, or `scale (used by my_loss)`.
    """
    reason = f": {why}" if why else ""
    return CannotCarry(
        f"{where} cannot be taken to the training process{reason}.\n"
        f"  Received: {kind_of(value)}\n"
        "  Expected: arrays, tensors, DataFrames, plain values, Keras objects, or functions and "
        "classes with their source\n"
        f"  What to do: {advice}"
    )


def kind_of(value: Any) -> str:
    """The type of an object, with its module."""
    cls = type(value)
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )
