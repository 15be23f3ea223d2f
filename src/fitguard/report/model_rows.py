"""The model as `fit` will meet it, in a few lines."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from fitguard.report.headline import Row
from fitguard.report.words import count, joined, percent, shape, short, size
from fitguard.schema.data import DataFacts, Training
from fitguard.schema.model import Loss, ModelFacts, ModelInput, ModelOutput, Shape

T = TypeVar("T")

LONGEST_NAME = 60
MOST_ENDS = 6
"""More inputs or outputs than these are merely counted, unless all are asked for."""


def model_rows(facts: DataFacts, *, every: bool = False) -> list[Row]:
    """Labels and values: the model, its inputs, its outputs with their losses, the training.

    Args:
        every: Name all inputs and outputs, however many there are.
    """
    model = facts.model
    named = joined([short(model.name, LONGEST_NAME), model.kind, model.library, _weights(model)])
    return [
        ("Model", named),
        ("Inputs", _listed(model.inputs, _input, every)),
        ("Outputs", _listed(model.outputs, _output, every)),
        ("Training", _training(model, facts.training)),
    ]


def _weights(model: ModelFacts) -> str:
    if not model.built:
        return "not built"
    if model.weights is None:
        return ""
    trained = model.trainable_weights
    frozen = "" if trained in (None, model.weights) else f", {trained:,} of them trainable"
    taken = f" ({size(model.weights_bytes)})" if model.weights_bytes else ""
    return f"{count(model.weights, 'weight')}{taken}{frozen}"


def _listed(ends: Sequence[T] | None, told: Callable[[T], str], every: bool) -> str:
    if ends is None:
        return "the model does not tell"
    shown = ends if every else ends[:MOST_ENDS]
    left_out = len(ends) - len(shown)
    more = f"and {left_out} more" if left_out else None
    return joined([*(told(end) for end in shown), more]) or "none"


def _input(item: ModelInput) -> str:
    return f"{_sample(item.name, item.shape)} {item.dtype}"


def _output(item: ModelOutput) -> str:
    activation = f" {short(item.activation, LONGEST_NAME)}" if item.activation else ""
    return f"{_sample(item.name, item.shape)}{activation}, {_loss(item.loss)}"


def _sample(name: str, whole: Shape | None) -> str:
    """The shape of one sample, so that it can be compared with that of the data."""
    axes = "of unknown shape" if whole is None else shape(whole[1:])
    return f"{short(name, LONGEST_NAME)} {axes}"


def _loss(loss: Loss | None) -> str:
    if loss is None:
        return "no loss"
    logits = " from logits" if loss.from_logits else ""
    ignored = f" without class {loss.ignore_class}" if loss.ignore_class is not None else ""
    return f"loss {short(loss.name, LONGEST_NAME)}{logits}{ignored}"


def _training(model: ModelFacts, training: Training) -> str:
    kept = training.validation_split
    optimizer = short(model.optimizer or "compiled", LONGEST_NAME)
    return joined(
        [
            optimizer if model.compiled else "not compiled",
            f"batches of {training.batch_size:,}" if training.batch_size else None,
            count(training.epochs, "epoch"),
            f"{count(training.steps_per_epoch, 'step')} each" if training.steps_per_epoch else None,
            f"{percent(round(kept * 1000), 1000)} kept for validation" if kept else None,
            "class weights" if training.class_weight else None,
            f"computes in {model.compute_dtype}" if model.compute_dtype != "float32" else None,
            f"on {model.replicas} devices" if model.replicas > 1 else None,
        ]
    )
