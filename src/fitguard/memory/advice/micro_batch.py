"""The batch in parts, whose gradients are added up before the weights change."""

import math
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.step import optimizer_name
from fitguard.memory.advice.question import Question, proposal, shift_range
from fitguard.memory.estimate import Estimator
from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.largest_batch import largest
from fitguard.memory.recomputing.timing import find_speed, weigh_parts
from fitguard.memory.training import Training
from fitguard.memory.variants.optimizer import count_gradient_bytes
from fitguard.schema.batch_parts import even_part
from fitguard.schema.plan import Advice

_PARTS_WITHOUT_CARD = 4
_NAMED = 3


def micro_batch_size(
    training: Training, estimator: Estimator, batch_size: int, usable_bytes: int
) -> int | None:
    """The largest part of a batch that fits with accumulation; the batch itself where that fits.

    None where not even one sample fits. Parts are equal where the batch can be divided so without
    getting much smaller ones, so that their gradients have equal weight. Where the whole batch
    does not fit beside a part, the parts must come one by one.
    """
    if estimator.at(batch_size).required.high <= usable_bytes:
        return batch_size
    found = find_largest_part(training, estimator, batch_size, usable_bytes)
    return None if found is None else even_part(batch_size, found[0])


def find_largest_part(
    training: Training, estimator: Estimator, batch_size: int, usable_bytes: int
) -> tuple[int, int] | None:
    """The most rows of a part that fits, and what accumulation holds beside its step."""
    if batch_size == 1:
        return None
    for held in (count_held_bytes(training, batch_size), count_gradient_bytes(training.model)):
        most = largest(
            estimator,
            usable_bytes,
            near=max(1, batch_size // 2),
            at_most=batch_size - 1,
            extra_bytes=held,
        )
        if most is not None:
            return most, held
    return None


def count_held_bytes(training: Training, batch_size: int) -> int:
    """What accumulation holds beside the step: the sum of the gradients, and the whole batch."""
    import tensorflow as tf

    batch = sum(
        math.prod(int(length or 1) for length in spec.shape) * int(spec.dtype.size)
        for spec in tf.nest.flatten(training.specs(batch_size))
    )
    return count_gradient_bytes(training.model) + batch


def micro_batch(question: Question) -> Advice | None:
    """Accumulation over the largest parts that fit; without a card, over four."""
    training, batch_size = question.training, question.batch_size
    if batch_size == 1:
        return None
    if question.card is None:
        part = even_part(batch_size, math.ceil(batch_size / _PARTS_WITHOUT_CARD))
        held = count_held_bytes(training, batch_size)
    else:
        found = find_largest_part(
            training, question.estimator, batch_size, question.card.usable_bytes
        )
        if found is None:
            return None
        part, held = even_part(batch_size, found[0]), found[1]
    needs = question.estimator.at(part).required
    return question.weigh_advice(_build_proposal(question, part), shift_range(needs, held), None)


def _build_proposal(question: Question, part: int) -> Advice:
    count = math.ceil(question.batch_size / part)
    uneven = count * part != question.batch_size
    watching = batch_layers(question.training.model)
    sentences = [
        f"The gradients of {count} parts are added up, then the weights change once: the optimizer "
        "sees the same step."
    ]
    if uneven:
        sentences.append("The last part is smaller, and its samples must count as much as others.")
    if watching:
        sentences.append(
            f"{_join_names(watching)} then normalise over {part} samples, not over "
            f"{question.batch_size}."
        )
    if question.card is not None and isinstance(question.estimator, GraphEstimator):
        speed = find_speed(question.card.name)
        times = weigh_parts(question.estimator.step, question.batch_size, part, speed)
        sentences.append(f"A step takes about {times:.1f} times as long.")
    if not uneven:
        sentences.append("A schedule of the learning rate must count parts, not batches.")
    return proposal(
        "micro-batch",
        f"Micro-batches of {question.all_gpus(part):,}, with accumulated gradients",
        " ".join(sentences),
        changes_results=bool(watching),
        code="" if uneven else _code(question, part, count),
    )


def _code(question: Question, part: int, count: int) -> str:
    """Keras 3 accumulates by itself, over parts of equal size."""
    model = question.training.model
    name = optimizer_name(model)
    if recognise(model).generation == 2 or name is None:
        return ""
    return (
        f"optimizer = keras.optimizers.{name}(..., gradient_accumulation_steps={count})\n"
        "model.compile(optimizer=optimizer, ...)\n"
        f"model.fit(..., batch_size={question.all_gpus(part)})"
    )


def batch_layers(model: Any) -> list[str]:
    """The names of the layers that look at the whole batch, and learn from it."""
    return [
        layer.name
        for layer in sublayers(model)
        if (is_a(layer, "BatchNormalization") or "BatchNorm" in type(layer).__name__)
        and layer.trainable
    ]


def _join_names(names: list[str]) -> str:
    shown = ", ".join(names[:_NAMED])
    more = len(names) - _NAMED
    return f"{shown} and {more} more layers of this kind" if more > 0 else shown
