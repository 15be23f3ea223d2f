"""The learning rate, which Keras logs only where a callback changes it."""

from typing import Any

NAME = "learning_rate"
SCHEDULES = "keras.optimizers.schedules"


def with_learning_rate(logs: Any, model: Any) -> Any:
    """The logs, and the rate of the next step where it can be read and is not among them."""
    if not isinstance(logs, dict) or NAME in logs:
        return logs
    optimizer = getattr(model, "optimizer", None)
    rate = _read(getattr(optimizer, "inner_optimizer", optimizer))
    return logs if rate is None else {**logs, NAME: rate}


def _read(optimizer: Any) -> float | None:
    # An optimizer of the user's own may lack any of it: a report is no reason to fail.
    try:
        rate = optimizer.get_config()[NAME]
        if not isinstance(rate, dict):
            return float(rate)
        # One more call of a schedule that the user wrote could draw a random number, and then
        # the training would not be the same.
        if rate["module"] != SCHEDULES:
            return None
        scheduled = optimizer.learning_rate
        return float(scheduled(optimizer.iterations) if callable(scheduled) else scheduled)
    except Exception:
        return None
