"""Why not even the smallest batch fits."""

from fitguard.memory.estimate import Estimator
from fitguard.schema.plan import Breakdown, LayerCost, Shortage, TooLarge

_NAMED = 2


def find_shortage(estimator: Estimator, batch_size: int, usable_bytes: int) -> Shortage | None:
    """What is too large in a step with this batch; None where it fits for sure."""
    if estimator.at(batch_size).required.high <= usable_bytes:
        return None
    estimate = estimator.at(batch_size, detail=True)
    layers = sorted(estimate.layers, key=lambda layer: -layer.activations_bytes)
    return Shortage(
        batch_size=batch_size,
        required_bytes=estimate.required,
        usable_bytes=usable_bytes,
        breakdown=estimate.breakdown,
        too_large=_find_culprit(estimate.breakdown, layers, usable_bytes),
        layers=tuple(layer for layer in layers[:_NAMED] if layer.activations_bytes),
    )


def _find_culprit(parts: Breakdown, layers: list[LayerCost], usable_bytes: int) -> TooLarge:
    kept = parts.weights + parts.optimizer
    if kept + parts.gradients > usable_bytes:
        return "state"
    if layers and kept + layers[0].activations_bytes > usable_bytes:
        return "layer"
    return "sum"
