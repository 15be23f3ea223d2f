"""Which input or output of the model an array goes to."""

from fitguard.schema.data import Role
from fitguard.schema.model import ModelFacts, ModelInput, ModelOutput


def find_port(
    model: ModelFacts, role: Role, key: str | int | None
) -> ModelInput | ModelOutput | None:
    """The input or output that a part of x, y or sample_weight goes to; None where none fits.

    Args:
        key: The key or number that leads to the array; None where it stands alone.
    """
    ports = model.inputs if role == "x" else model.outputs
    if not ports:
        return None
    if key is None:
        alone = ports if role == "x" or len(ports) == 1 else _select_trained(model)
        return alone[0] if len(alone) == 1 else None
    if isinstance(key, int):
        return ports[key] if key < len(ports) else None
    return next((port for port in ports if port.name == key), None)


def _select_trained(model: ModelFacts) -> tuple[ModelOutput, ...]:
    """The outputs that have a loss: labels that stand alone go to the only one."""
    return tuple(output for output in model.outputs or () if output.loss is not None)
