"""The logs of a step from those of its pieces."""

from typing import Any

from fitguard.keras.microbatch.split import Findings


def join_logs(model: Any, logs: list[Any], shares: list[float], findings: Findings) -> Any:
    """What the last piece says of metrics, which have counted all; the mean of what is no metric.

    A `train_step` of the user's own may return the plain loss under the name of a metric that it
    never updates.
    """
    last = logs[-1]
    if not isinstance(last, dict) or len(logs) == 1:
        return last
    untouched = {
        metric.name
        for metric in model.metrics
        if hasattr(metric, "count") and id(metric) not in findings.updated
    }
    counted = {name for metric in model.metrics for name in _names(metric) if name not in untouched}
    return {
        name: value
        if name in counted
        else sum(piece[name] * share for piece, share in zip(logs, shares, strict=True))
        for name, value in last.items()
    }


def _names(metric: Any) -> list[str]:
    """Under which a metric stands in the logs: a collection of metrics has several."""
    if not getattr(metric, "built", True):
        return []
    result = metric.result()
    return list(result) if isinstance(result, dict) else [metric.name]
