"""The model has no weights yet, and the data does not tell the shape to make them from."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import fields
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG601", "model-not-built")
def model_not_built(
    data: DataFacts, model: ModelFacts, training_source: Source
) -> Iterator[Finding]:
    """
    ## What it means
    A model without an `Input` makes its weights when it meets the first batch. It takes their size
    from the last axis of that batch. Here the dataset does not know the length of that axis
    in advance: it comes from Python code (`from_generator`, `py_function`, `numpy_function`) or
    from decoding an image without the number of channels.

    ## Why training crashes
    `fit` builds the model from what the dataset promises, not from the numbers that come. Keras 3
    stops with *Shapes used to initialize variables must be fully-defined (no `None` dimensions)*
    or *as_list() is not defined on an unknown TensorShape*; tf_keras with *The last dimension of
    the inputs to a Dense layer should be defined. Found None*.

    ## How to fix it
    Begin the model with `keras.Input(shape)`, or let the dataset know the shape: give
    `from_generator` an `output_signature` with numbers, call `x.set_shape(…)` or
    `tf.ensure_shape(x, …)` after a `py_function`, give `decode_image` its `channels`.

    ## When this is wrong
    A model that is not built, with data of a known shape, is fine, and nothing is said. A
    subclassed model may bring its input to a fixed shape before the first layer.

    ## References
    - Keras: `Sequential`, models without an input shape
    - TensorFlow: `tf.data.Dataset.from_generator`, argument `output_signature`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    if model.built:
        return
    seen = {field.name: field for field in fields(data, "training", "x")}
    for name in training_source.open_fields:
        field = seen.get(name)
        # Tokens and text need no known length: an Embedding is built without it.
        if field is not None and field.dtype.startswith(("float", "bfloat", "uint8")):
            yield _finding(model, field, training_source)


def _finding(model: ModelFacts, field: Field, source: Source) -> Finding:
    shape = ", ".join(map(str, field.shape)) + ("," if len(field.shape) == 1 else "")
    return Finding(
        confidence="medium" if model.kind == "subclassed" else "high",
        title=f"The model {model.name} is not built, and the dataset does not tell the last axis "
        f"of {field.name} to build it from",
        evidence=(
            Evidence("no weights yet, no Input", f"model, {model.name}"),
            Evidence(f"last axis unknown in advance; samples came as ({shape})", field.name),
            Evidence("fit builds from what it promises", source.container),
        ),
        fix=Fix(
            f"Begin the model with keras.Input(({shape})), or set the shape in the dataset: "
            f"tf.ensure_shape(x, (None, {shape.rstrip(',')})) in a map after the batch."
        ),
    )
