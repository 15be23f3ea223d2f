"""The training with smaller images."""

from dataclasses import replace
from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.memory.training import Training
from fitguard.memory.variants.cloning import clone, keras_of
from fitguard.memory.variants.compiling import compile_like
from fitguard.memory.variants.variant import CannotBeMade, Variant, attempt

FACTOR = 0.7
"""About half of the pixels."""
_MOST_CHANNELS = 32
"""An input with more channels than this is no image: its first axes may not be resized."""
_LARGEST_STEP = 32
"""What a network halves five times should stay divisible by: ResNet, U-Net and their like."""
_LEAST_STEPS = 4


def with_input_size(training: Training, factor: float) -> Variant:
    """The training with images whose sides are shorter by `factor`, weights as they are."""
    return attempt(lambda: _build_training(training, factor))


def image_sizes(training: Training) -> tuple[int, int]:
    """Height and width of the images.

    Raises:
        CannotBeMade: The model does not take one image per sample.
    """
    model = training.model
    if not is_a(model, "Functional", "Sequential") or len(model.inputs or ()) != 1:
        raise CannotBeMade("the model has several inputs, or is a class of its own")
    _, *axes = model.inputs[0].shape
    if len(axes) != 3 or None in axes or axes[2] > _MOST_CHANNELS or min(axes[:2]) < 2:
        raise CannotBeMade("the model does not take images of one size")
    return axes[0], axes[1]


def _shorter(side: int, factor: float) -> int:
    """The side, divisible by the same power of two as before where that leaves a choice."""
    step = min(side & -side, _LARGEST_STEP)
    while step > side // _LEAST_STEPS:
        step //= 2
    step = max(step, 1)
    return max(step, round(side * factor / step) * step)


def _build_training(training: Training, factor: float) -> Training:
    before = image_sizes(training)
    after = (_shorter(before[0], factor), _shorter(before[1], factor))
    if after == before:
        raise CannotBeMade("the images cannot be made smaller in even steps")
    model = training.model
    given = model.inputs[0]
    image = keras_of(model).Input(
        (*after, given.shape[-1]),
        batch_size=given.shape[0],
        dtype=given.dtype,
        name=None if is_a(model, "Sequential") else given.name,
    )
    twin = clone(training, lambda config: config, inputs=_as_structured(model, image))
    compile_like(training, twin)
    return replace(training, model=twin, data=_data(training, twin, after))


def _as_structured(model: Any, image: Any) -> Any:
    """The image in the structure in which the model takes it: alone, in a list or in a dict."""
    if is_a(model, "Sequential"):
        return image
    if isinstance(model.input, dict):
        return dict.fromkeys(model.input, image)
    return [image] if isinstance(model.input, list | tuple) else image


def _data(training: Training, twin: Any, after: tuple[int, int]) -> Any:
    """The specs for smaller images; targets that are as large as the outputs shrink with them."""
    import tensorflow as tf

    alone = not isinstance(training.data, tuple)
    first, *others = (training.data,) if alone else training.data
    outputs = {
        tuple(old.shape[1:]): tuple(new.shape[1:])
        for old, new in zip(training.model.outputs, twin.outputs, strict=True)
    }
    outputs |= {old[:-1]: new[:-1] for old, new in outputs.items() if len(old) == 3}

    def image(spec: Any) -> Any:
        return tf.TensorSpec((spec.shape[0], *after, *spec.shape[3:]), spec.dtype, spec.name)

    def target(spec: Any) -> Any:
        axes = tuple(spec.shape[1:])
        # Sparse targets may have a last axis of one.
        sparse = (*outputs[axes[:-1]], 1) if axes[-1:] == (1,) and axes[:-1] in outputs else axes
        return tf.TensorSpec((*spec.shape[:1], *outputs.get(axes, sparse)), spec.dtype, spec.name)

    images = tf.nest.map_structure(image, first)
    if alone:
        return images
    return (
        images,
        *(tf.nest.map_structure(target, other) for other in others),
    )
