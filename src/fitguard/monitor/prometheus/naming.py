"""Metrics as Prometheus names them: with their unit, and `_total` behind what only rises."""

from fitguard.schema.metrics import Metric

PREFIX = "fitguard_"
_PLAIN = "number"


def name_metric(metric: Metric) -> str:
    """`gpu_power` in watts is `fitguard_gpu_power_watts`; `_total` is not in it yet."""
    has_unit = metric.unit == _PLAIN or metric.unit in metric.name.split("_")
    return f"{PREFIX}{metric.name}" if has_unit else f"{PREFIX}{metric.name}_{metric.unit}"
