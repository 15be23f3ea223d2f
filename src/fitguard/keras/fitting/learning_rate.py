"""The learning rate, which Keras logs only where a callback changes it."""

from typing import Any

NAME = "learning_rate"


def with_learning_rate(logs: Any, model: Any) -> Any:
    """The logs, and the rate of the next step where it can be read and is not among them."""
    if not isinstance(logs, dict) or NAME in logs:
        return logs
    rate = _read(getattr(model, "optimizer", None))
    return logs if rate is None else {**logs, NAME: rate}


def _read(optimizer: Any) -> float | None:
    # An optimizer of the user's own may lack any of it: a report is no reason to fail.
    try:
        rate = optimizer.learning_rate
        return float(rate(optimizer.iterations) if callable(rate) else rate)
    except Exception:
        return None
