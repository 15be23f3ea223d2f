"""What cuDNN's recurrent layers make of a mask they cannot take."""

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.schema.finding import Evidence, Severity
from fitguard.schema.model import ModelFacts, ModelInput


def refuses(model: ModelFacts) -> bool:
    """Whether the model's Keras raises on a GPU; Keras 2 computes without cuDNN there."""
    return not is_keras_2(model)


def severity(model: ModelFacts) -> Severity:
    """Grave where a GPU is there to refuse it; without one the training runs, until it is moved."""
    if not refuses(model):
        return "info"
    return "error" if model.gpus else "warning"


def padding(target: ModelInput) -> Evidence:
    """What counts as padding, and which layer says so."""
    return Evidence(f"padding is {format_padding(target)}", target.mask_layer or target.name)


def format_padding(target: ModelInput) -> str:
    """The value that counts as padding: `0`."""
    return "padding" if target.mask_value is None else f"{target.mask_value:g}"
