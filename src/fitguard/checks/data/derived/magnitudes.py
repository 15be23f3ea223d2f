"""How large a value may be before the arithmetic of a training cannot hold it, or drowns in it."""

from fitguard.schema.model import ModelInput, ModelOutput

Limits = tuple[float | None, float | None]

FLOAT16_MAX = 65504.0
FLOAT32_SQUARE_MAX = 1.8e19
"""The square of a larger number is infinite in float32."""
UNSCALED_MAX = 1e6
"""Beyond this, a first layer with weights near 1 gives outputs that no optimizer gets down."""

# With these the output itself has to become as large as the label.
_AS_LARGE_AS_LABELS = ("mean_squared_error", "mean_absolute_error", "huber", "log_cosh")


def find_input_limits(target: ModelInput) -> Limits:
    """The lowest and highest number that an input takes which is no index of an Embedding."""
    if target.compute_dtype == "float16":
        return _within(FLOAT16_MAX)
    return _within(UNSCALED_MAX if target.rescaled is False else FLOAT32_SQUARE_MAX)


def find_target_limits(output: ModelOutput) -> Limits:
    """The lowest and highest number that a regression takes as label; None: no limit."""
    loss = output.loss
    if loss is None or loss.custom or loss.name not in _AS_LARGE_AS_LABELS:
        return None, None
    return _within(UNSCALED_MAX)


def _within(limit: float) -> Limits:
    return -limit, limit
