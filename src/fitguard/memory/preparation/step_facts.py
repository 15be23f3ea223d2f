"""The training step in words and numbers, for the plan."""

from collections.abc import Sequence
from typing import Any

from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.losses import losses_by_output
from fitguard.inputs.models.step import optimizer_name
from fitguard.inputs.models.weights import weights_of
from fitguard.inputs.sources.structure import leaves, unpack_element
from fitguard.memory.preparation.specs import lengths
from fitguard.memory.training import Training
from fitguard.schema.model import Shape
from fitguard.schema.plan import Step


def step_facts(training: Training, names: Sequence[str], *, batch_size: int, reason: str) -> Step:
    """The facts of a step.

    Args:
        names: Of the model's outputs.
        batch_size: Of all replicas together.
        reason: Why XLA compiles it, or not.
    """
    model = training.model
    return Step(
        model=ask(lambda: str(model.name), type(model).__name__),
        parameters=weights_of(model).all or ask(lambda: int(model.count_params()), 0),
        optimizer=optimizer_name(model) or "",
        loss=_losses(model, names),
        policy=_policy(model),
        inputs=collect_inputs(training.data, batch_size),
        mode_reason=reason,
        replicas=training.replicas,
    )


def collect_inputs(data: Any, batch_size: int) -> tuple[tuple[str, Shape, str], ...]:
    """Name, shape and dtype of each array."""
    try:
        parts = list(unpack_element(data).parts())
    except ValueError:  # more parts than three, for a step of the user's own
        parts = [("x", data)]
    return tuple(
        (leaf.name, _fill_batch_axis(lengths(leaf.value), batch_size), leaf.value.dtype.name)
        for role, part in parts
        for leaf in leaves(part, role)
    )


def _fill_batch_axis(shape: Shape, batch_size: int) -> Shape:
    return (batch_size, *shape[1:]) if shape and shape[0] is None else shape


def _losses(model: Any, names: Sequence[str]) -> str:
    given = trait(model, "loss")
    found = {
        name: loss.name
        for name, loss in zip(names, losses_by_output(given, names), strict=True)
        if loss is not None
    }
    if len(set(found.values())) == 1:
        return next(iter(found.values()))
    return ", ".join(f"{name}: {loss}" for name, loss in found.items())


def _policy(model: Any) -> str:
    """That of the layers with weights; the model's own where they differ."""
    layers = [layer for layer in sublayers(model) if trait(layer, "weights")]
    names = {_policy_name(layer) for layer in layers}
    return names.pop() if len(names) == 1 else _policy_name(model)


def _policy_name(layer: Any) -> str:
    policy = trait(layer, "dtype_policy")
    return str(trait(policy, "name", "float32"))
