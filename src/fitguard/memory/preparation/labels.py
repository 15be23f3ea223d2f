"""The labels that the losses of a model read, where none were given."""

from collections.abc import Sequence
from typing import Any

from fitguard.checks.data.derived.losses import label_kind
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.losses import losses_by_output
from fitguard.inputs.models.tensors import names_in
from fitguard.memory.preparation.specs import Spec, lengths, spec
from fitguard.schema.model import Loss


def labels(outputs: Any, names: Sequence[str], loss: Any) -> tuple[Any, list[str]]:
    """The specs of y in the structure of the outputs, and what was assumed of them.

    None where no output has a loss.
    """
    import tensorflow as tf

    losses = losses_by_output(loss, names)
    if not any(losses):
        return None, []
    flat = tf.nest.flatten(outputs)
    made = [_label(output, one) for output, one in zip(flat, losses, strict=True)]
    notes = [
        f"The loss {one.name} of {name} is not one of Keras' own: its labels were taken to have "
        "the shape of the output."
        for name, one in zip(names, losses, strict=True)
        if one is not None and label_kind(one) is None
    ]
    if isinstance(outputs, dict):
        by_name = zip(names, made, losses, strict=True)
        return {name: label for name, label, one in by_name if one is not None}, notes
    return tf.nest.pack_sequence_as(outputs, made), notes


def output_names(model: Any, outputs: Any) -> list[str]:
    """The names by which losses and labels call the outputs, in the order of `tf.nest`."""
    import tensorflow as tf

    if isinstance(outputs, dict):
        return sorted(map(str, outputs))
    flat = tf.nest.flatten(outputs)
    functional = ask(lambda: functional_of(model), None)
    known = [] if functional is None else names_in(functional, "outputs")
    if len(known) == len(flat):
        return known
    return ["output"] if len(flat) == 1 else [f"output_{n + 1}" for n in range(len(flat))]


def _label(output: Spec, loss: Loss | None) -> Spec:
    shape = lengths(output)
    if loss is None:
        return spec(shape[:1], "float32")
    if label_kind(loss) == "classes":
        return spec(shape[:-1], "int32")
    return spec(shape, "float32")
