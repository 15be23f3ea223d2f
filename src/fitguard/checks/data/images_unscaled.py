"""Images go into the first layer with values up to 255, and no layer scales them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.wording import quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import Shape
from fitguard.words import shape as shown

_BRIGHT = 100
_BRIGHTEST = 255
_SMALLEST_SIDE = 8
_CHANNELS = (1, 3, 4)


@check("FG614", "images-unscaled", requires={"FG605", "FG606"})
def images_unscaled(fed: tuple[Fed, ...]) -> Iterator[Finding]:
    """
    ## What it means
    The pixels run up to 255 and reach the first weights as they are. Layers begin with weights that
    are made for values of about 1. No `Rescaling`, `Normalization` or `BatchNormalization` stands
    between.

    ## Why training crashes
    The first outputs and gradients are a hundred times too large. With SGD the loss jumps to
    thousands or to inf and then nan, or the units die and the model answers the same for all
    images; with Adam it learns slowly. In float16 (mixed precision) sums overflow sooner.

    ## How to fix it
    Put `keras.layers.Rescaling(1 / 255)` in front of the first layer: then prediction gets it too.
    Or divide the data once: `x.astype("float32") / 255`. For a pretrained model use its own
    `preprocess_input`.

    ## When this is wrong
    The values may be no brightness: heights, counts, class maps. A pretrained network may expect
    0 … 255, as those do that scale inside. A layer of your own that scales is not seen.

    ## References
    - Keras guide: preprocessing layers, `Rescaling`
    - Tried with Keras 3.15 and tf_keras 2.21: Dense with SGD gives nan within 5 epochs, with the
      same images divided by 255 it learns
    """
    for field, target in fed:
        if target.rescaled is not False or target.tables or not _is_unscaled_image(field):
            continue
        first = f" into {target.reader}" if target.reader else ""
        yield Finding(
            severity="warning",
            confidence="high" if field.dtype == "uint8" else "medium",
            title=f"{field.name} goes unscaled{first}: images {shown(field.shape)} of "
            f"{field.dtype} up to {field.maximum:g}",
            evidence=(
                quote_field(field),
                Evidence("no layer in front of the first weights scales", f"input {target.name!r}"),
            ),
            fix=Fix(
                "Begin the model with keras.layers.Rescaling(1 / 255), or give fit "
                f"{field.name}.astype('float32') / 255, validation data likewise.",
                changes_results=True,
            ),
        )


def _is_unscaled_image(field: Field) -> bool:
    low, high = field.minimum, field.maximum
    if low is None or high is None or low < 0 or not _BRIGHT <= high <= _BRIGHTEST:
        return False
    if field.dtype == "uint8":
        return _image(field.shape) or _row_of_pixels(field.shape)
    return _image(field.shape)


def _image(shape: Shape) -> bool:
    if len(shape) == 3 and shape[-1] not in _CHANNELS:
        return False
    sides = shape[:2] if len(shape) in (2, 3) else ()
    return bool(sides) and all(side is None or side >= _SMALLEST_SIDE for side in sides)


def _row_of_pixels(shape: Shape) -> bool:
    """A flattened image: many columns of bytes."""
    return len(shape) == 1 and (shape[0] or 0) >= _SMALLEST_SIDE**2
