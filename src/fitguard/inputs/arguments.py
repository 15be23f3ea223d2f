"""The arguments of `fit`, as plain numbers: NumPy's are taken, texts and fractions are refused."""

import math
import numbers
import operator
from collections.abc import Mapping
from typing import Any

from fitguard.schema.data import Training
from fitguard.schema.exit_codes import UsageError


def training(
    *,
    batch_size: Any,
    epochs: Any,
    steps_per_epoch: Any,
    validation_steps: Any,
    validation_split: Any,
    shuffle: Any,
    class_weight: Any,
) -> Training:
    """How `fit` is called.

    Raises:
        UsageError: for what is no number where `fit` takes one.
    """
    return Training(
        batch_size=optional("batch_size", batch_size),
        epochs=whole_number("epochs", epochs),
        steps_per_epoch=optional("steps_per_epoch", steps_per_epoch),
        validation_steps=optional("validation_steps", validation_steps),
        validation_split=share("validation_split", validation_split),
        shuffle=bool(shuffle),
        class_weight=_by_class(class_weight),
    )


def optional(name: str, value: Any) -> int | None:
    """A whole number; None stands for itself.

    Raises:
        UsageError: for all else.
    """
    return None if value is None else whole_number(name, value)


def whole_number(name: str, value: Any) -> int:
    """A whole number.

    Raises:
        UsageError: for all else.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"Received {name}={_short(value)}. Expected a whole number") from None


def share(name: str, value: Any) -> float:
    """A number from 0 to below 1; None stands for 0.

    Raises:
        UsageError: for all else.
    """
    if value is None:
        return 0.0
    if not isinstance(value, numbers.Real) or not 0 <= float(value) < 1:
        raise UsageError(f"Received {name}={_short(value)}. Expected a number between 0 and 1")
    return float(value)


def _by_class(weights: Any) -> dict[int, float] | None:
    if weights is None:
        return None
    if not isinstance(weights, Mapping):
        raise UsageError(
            f"Received class_weight={_short(weights)}. Expected a dict: a weight for each class"
        )
    return {_class(key): _weight(key, weight) for key, weight in weights.items()} or None


def _class(key: Any) -> int:
    # `fit` takes 1.0 for the class 1.
    number = float(key) if isinstance(key, numbers.Real) else math.nan
    if not number.is_integer():
        raise UsageError(
            f"Received class_weight with the key {_short(key)}. Expected whole numbers: the classes"
        )
    return int(number)


def _weight(key: Any, weight: Any) -> float:
    if not isinstance(weight, numbers.Real) or not math.isfinite(weight):
        raise UsageError(
            f"Received class_weight with {_short(weight)} for class {_short(key)}. Expected "
            "finite numbers"
        )
    return float(weight)


def _short(value: Any) -> str:
    """As it is written in code, but not at length; its type where it cannot be written."""
    try:
        text = repr(value)
    except Exception:  # a class of the user's
        return f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:79]}…"
