"""The last activation does not give what the loss reads: probabilities or logits."""

from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.losses import (
    finds_logits,
    label_kind,
    loss_class,
    reads_logarithm,
    reads_probabilities,
    units,
)
from fitguard.checks.data.derived.outputs import Trained
from fitguard.checks.data.derived.wording import quote_output
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts

_PROBABILITIES = frozenset(("softmax", "sigmoid", "hard_sigmoid", "sparsemax"))
# A softmax over two units has the right one ahead all the same, but is too sure of it.
_TWO = 2
_NEVER_NEGATIVE = frozenset((*_PROBABILITIES, "relu", "relu6", "softplus", "exponential"))


@check("FG624", "logits-mismatch")
def logits_mismatch(trained: tuple[Trained, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    A crossentropy reads probabilities, between 0 and 1. With `from_logits=True` it reads *logits*,
    any numbers, and applies softmax or sigmoid itself. The last activation of the model must match:
    softmax or sigmoid without `from_logits`, no activation with it.

    ## Why training crashes
    *No activation, no from_logits*: Keras cuts the outputs to 0 … 1. Wherever one lay outside, its
    gradient is zero, and it never moves again: the loss stays high, or does not move at all. Which
    of them do is a matter of the first weights.

    *Softmax and from_logits*: softmax is applied twice. The loss has a floor: with 3 classes it
    cannot fall below 0.55, and gradients are weak. Keras on TensorFlow finds the logits behind the
    softmax, warns, and trains as meant, if nothing stands between. Seen here: not with a Reshape
    behind it; in Keras 3 not under mixed_float16 either, and never for the focal losses.

    *Softmax on a binary loss*: the loss trains each unit as a sigmoid, but what the model predicts
    sums to 1. Of two labels that are both true, neither gets near 1. With two units and one label
    a sample, the right unit comes out ahead, but surer than it should be: that is for information
    only.

    *Poisson on an output that can be negative*: the logarithm of it is nan, from the first step.

    ## How to fix it
    Add `activation="softmax"` (one of several classes) or `"sigmoid"` (yes or no for each unit) to
    the last layer, or take it away and set `from_logits=True`. The latter is more exact. After it,
    `predict` gives logits: apply `keras.ops.softmax` to them. For Poisson: `softplus`.

    ## When this is wrong
    Where code of your own brings the outputs to 0 … 1 in a way that fitguard does not see. It says
    nothing where it does not know the last activation.

    ## References
    - Keras: `CategoricalCrossentropy`, argument `from_logits`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in trained:
        if item.output.activation is None or _one_unit_softmax(item):
            continue
        if reads_probabilities(item.loss):
            finding = _without_logits(item)
        else:
            finding = _with_logits(item, mended=_can_recover_logits(item, model))
        if finding is not None:
            yield finding


def _one_unit_softmax(item: Trained) -> bool:
    return item.output.activation == "softmax" and units(item.output) == 1


def _without_logits(item: Trained) -> Finding | None:
    output, loss = item
    wanted = "sigmoid" if label_kind(loss) == "binary" else "softmax"
    if output.activation not in _PROBABILITIES:
        return Finding(
            title=f"{_from(item)}, {output.activation}, gives no probabilities, which "
            f"{loss.name} reads",
            evidence=(quote_output(output),),
            fix=Fix(_probabilities_or_logits(item, wanted), changes_results=True),
        )
    if (output.activation, wanted) == ("softmax", "sigmoid"):
        return Finding(
            severity="info" if units(output) == _TWO else "warning",
            title=f"{_from(item)}, softmax over {units(output)} units, shares out 1, but "
            f"{loss.name} reads each unit by itself",
            evidence=(quote_output(output),),
            fix=Fix(
                "If each sample has one class, compile with loss='categorical_crossentropy'. If "
                "several labels can be true at once, give the last layer activation='sigmoid'.",
                changes_results=True,
            ),
        )
    if (output.activation, wanted) == ("sigmoid", "softmax") and (units(output) or 0) > 1:
        return Finding(
            severity="info",
            title=f"{_from(item)}, sigmoid, gives {units(output)} numbers that do not sum to 1, "
            f"and {loss.name} reads them as shares",
            evidence=(quote_output(output),),
            fix=Fix("Give the last layer activation='softmax'.", changes_results=True),
        )
    return None


def _with_logits(item: Trained, *, mended: bool) -> Finding | None:
    output, loss = item
    if reads_logarithm(loss) and output.activation not in _NEVER_NEGATIVE:
        return Finding(
            confidence="medium",
            title=f"{_from(item)}, {output.activation}, can be negative, and {loss.name} "
            "takes the logarithm of it",
            evidence=(quote_output(output),),
            fix=Fix("Give the last layer activation='softplus'.", changes_results=True),
        )
    if not loss.from_logits or output.activation not in ("softmax", "sigmoid"):
        return None
    after = "trains as meant only while Keras finds the logits behind it" if mended else "is twice"
    return Finding(
        severity="warning" if mended else "error",
        title=f"{_from(item)} has {output.activation}, but its loss has from_logits=True: "
        f"{output.activation} {after}",
        evidence=(quote_output(output),),
        fix=Fix(
            f"Take from_logits=True out of {loss_class(loss)}, or the activation out of the last "
            "layer.",
            changes_results=not mended,
        ),
    )


def _can_recover_logits(item: Trained, model: ModelFacts) -> bool:
    """Whether Keras takes the logits from behind a softmax or sigmoid that is the very last."""
    return is_keras_2(model) or (finds_logits(item.loss) and item.output.dtype != "float16")


def _from(item: Trained) -> str:
    return f"The output {item.output.name}"


def _probabilities_or_logits(item: Trained, wanted: str) -> str:
    layer = item.output.layer or "the last layer"
    add = f"Give {layer} activation='{wanted}'"
    if item.loss.from_logits is None:
        return f"{add}."
    return f"{add}, or compile with loss=keras.losses.{loss_class(item.loss)}(from_logits=True)."
