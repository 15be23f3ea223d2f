"""Whether a model brings the values of an input to a small range before its first weights."""

import dis
from typing import Any

from fitguard.inputs.models.activations import own_activation
from fitguard.inputs.models.asking import name_of, trait
from fitguard.inputs.models.graph import Graph, Step
from fitguard.inputs.models.kinds import (
    SAME_RANGE,
    SAME_VALUES,
    kind,
    learns,
    split_names,
    unwrap_layer,
)

RESCALES = split_names(
    """
    Rescaling Normalization BatchNormalization LayerNormalization GroupNormalization
    UnitNormalization RMSNormalization SpectralNormalization Normalize
    tf.per_image_standardization tf.convert_image_dtype tf.l2_normalize tf.normalize
    """
)
_SCALES = split_names(
    """
    Multiply Divide TrueDivide tf.multiply tf.divide tf.truediv tf.div
    """
)
_SHIFTS = frozenset(["Add", "Subtract", "tf.add", "tf.subtract", "tf.bias_add", "BiasAdd"])
_SQUASHES = frozenset(("sigmoid", "tanh", "softmax", "log_softmax", "softsign"))


def first_reader(graph: Graph, value: int) -> str | None:
    """The first layer behind an input that has weights, or changes values."""
    reached = graph.follow([value], passes)
    return next((name_of(step.layer) for step in reached if not passes(step)), None)


def is_rescaled(graph: Graph, value: int) -> bool | None:
    """Whether all ways from an input to weights lead through a layer that scales; None: unclear."""
    reached = graph.follow([value], lambda step: passes(step) or _shifts(step))
    answers = {_answer(step) for step in reached if not passes(step) and not _shifts(step)}
    if len(answers) != 1:
        return None
    answer = answers.pop()
    # Who subtracts a mean has thought of the range: caffe's images stay within 0 ± 128.
    return None if answer is False and any(map(_shifts, reached)) else answer


def passes(step: Step) -> bool:
    """Whether values keep their order of magnitude in a step."""
    return kind(unwrap_layer(step.layer)) in SAME_VALUES | SAME_RANGE


def _shifts(step: Step) -> bool:
    return kind(step.layer) in _SHIFTS


def _answer(step: Step) -> bool | None:
    layer = unwrap_layer(step.layer)
    name = kind(layer)
    if name in RESCALES:
        return True
    if name in _SCALES:
        # With two values of the model in it, it is no scaling by a constant.
        return True if len(step.reads) == 1 else None
    if name == "Lambda":
        return _scales(layer) or None
    if name == "Activation":
        return own_activation(layer) in _SQUASHES or None
    return False if name and learns(layer) else None


def _scales(layer: Any) -> bool:
    """Whether a Lambda's own code multiplies or divides."""
    code = trait(trait(layer, "function"), "__code__")
    return code is not None and any(
        instruction.opname == "BINARY_OP" and instruction.argrepr.rstrip("=") in ("*", "/")
        for instruction in dis.get_instructions(code)
    )
