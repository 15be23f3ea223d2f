"""The model as `fit` will meet it, in a few lines."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from fitguard.report.blocks import Folded, Items, Row
from fitguard.schema.data import DataFacts, Training
from fitguard.schema.model import Loss, ModelFacts, ModelInput, ModelOutput, Shape
from fitguard.words import count, join, percent, shape, short, size

T = TypeVar("T")

LONGEST_NAME = 60
MOST_ENDS = 6
"""More inputs or outputs than these are listed apart."""


def model_rows(facts: DataFacts) -> list[Row]:
    """Labels and values: the model, its inputs, its outputs with their losses, the training."""
    model = facts.model
    named = join([short(model.name, LONGEST_NAME), model.kind, model.library, _weights(model)])
    return [
        ("Model", named),
        ("Inputs", _join_ends(model.inputs, _input)),
        ("Outputs", _join_ends(model.outputs, _output)),
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


def fold_ends(model: ModelFacts) -> Iterator[Folded]:
    """All inputs, and all outputs, where they are too many for a row."""
    if len(model.inputs or ()) > MOST_ENDS:
        yield Folded("All inputs", (Items(tuple(map(_input, model.inputs or ()))),))
    if len(model.outputs or ()) > MOST_ENDS:
        yield Folded("All outputs", (Items(tuple(map(_output, model.outputs or ()))),))


def _join_ends(ends: Sequence[T] | None, describe: Callable[[T], str]) -> str:
    if ends is None:
        return "unknown"
    left_out = len(ends) - MOST_ENDS
    more = f"and {left_out} more" if left_out > 0 else None
    return join([*map(describe, ends[:MOST_ENDS]), more]) or "none"


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
    return join(
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
