"""Facts about labels, outputs and losses, for tests of the checks that judge them."""

from typing import Any

from fitguard.schema.data import ClassCount, DataFacts, Field, Labels, Source, Training
from fitguard.schema.model import Loss, ModelFacts, ModelOutput, Shape

SPARSE = "sparse_categorical_crossentropy"
CATEGORICAL = "categorical_crossentropy"
BINARY = "binary_crossentropy"
MSE = "mean_squared_error"


def labels(shape: Shape = (), *, name: str = "y", target: str | None = "out", **more: Any) -> Field:
    """A field of y, read whole: 100 samples unless told."""
    known = {"samples": 100, "samples_seen": 100, "labels": Labels(integral=True), **more}
    return Field(
        role="y",
        name=name,
        target=target,
        container="numpy.ndarray",
        dtype="int64",
        shape=shape,
        **known,
    )


def counted(*counts: tuple[float, int], one_hot: bool = False) -> Labels:
    """Whole labels: each with how often it was seen."""
    return Labels(
        integral=True,
        one_hot=one_hot,
        distinct=len(counts),
        counts=tuple(ClassCount(value, number) for value, number in counts),
    )


def output(
    loss: str | None = SPARSE,
    shape: Shape | None = (None, 3),
    activation: str | None = "softmax",
    *,
    name: str = "out",
    dtype: str = "float32",
    **settings: Any,
) -> ModelOutput:
    """An output; the settings are those of its loss."""
    return ModelOutput(
        name=name,
        shape=shape,
        dtype=dtype,
        layer=name,
        activation=activation,
        loss=None if loss is None else Loss(name=loss, **settings),
    )


def data(
    outputs: ModelOutput | tuple[ModelOutput, ...] | None,
    *fields: Field,
    library: str = "keras 3.15.1",
    kind: Any = "arrays",
    training: Training | None = None,
    **model: Any,
) -> DataFacts:
    """Facts of a model with these outputs and labels."""
    return DataFacts(
        model=ModelFacts(
            name="model",
            library=library,
            kind="functional",
            built=True,
            compiled=True,
            outputs=(outputs,) if isinstance(outputs, ModelOutput) else outputs,
            **model,
        ),
        training=training or Training(),
        sources=(Source(kind=kind, container="numpy.ndarray", samples=100, samples_seen=100),),
        fields=fields,
    )
