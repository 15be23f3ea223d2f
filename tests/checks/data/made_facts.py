"""Facts made by hand, for what is at the edge of a check."""

from typing import Any

import msgspec

from fitguard.schema.data import DataFacts, Field, Place, Spotted
from fitguard.schema.model import IndexTable, Loss, ModelFacts, ModelInput, ModelOutput


def field(role: str = "x", **more: Any) -> Field:
    """An array of 100 samples with 4 float32 columns, all of it read."""
    known = {"x": ((4,), "table"), "y": ((1,), "price"), "sample_weight": ((), "price")}
    shape, target = known[role]
    facts = {
        "role": role,
        "name": role,
        "target": target,
        "container": "numpy.ndarray",
        "dtype": "float32",
        "shape": shape,
        "samples": 100,
        "samples_seen": 100,
        "minimum": -1.0,
        "maximum": 1.0,
    }
    return msgspec.convert({**facts, **more}, Field)


def sampled(one: Field, **more: Any) -> Field:
    """The same field of a stream, of which 2,048 samples were read."""
    return msgspec.structs.replace(one, samples=None, samples_seen=2048, **more)


def spotted(count: int, sample: int = 5, *position: int, batch: int | None = None) -> Spotted:
    """So many, the first one here."""
    return Spotted(count, (Place(sample=sample, position=position, batch=batch, value="9"),))


def table_input(**more: Any) -> ModelInput:
    """An input of 4 columns that no layer scales."""
    return msgspec.convert(
        {"name": "table", "shape": (None, 4), "dtype": "float32", "rescaled": False, **more},
        ModelInput,
    )


def token_input(rows: int = 10, **more: Any) -> ModelInput:
    """An input of 4 columns that is the index of an Embedding."""
    return table_input(tables=(IndexTable("words", rows),), **more)


def model_of(
    *inputs: ModelInput, outputs: tuple[ModelOutput, ...] | None = None, **more: Any
) -> ModelFacts:
    """A compiled functional model, with one output for a price unless said otherwise."""
    facts = {
        "name": "model",
        "library": "keras 3.15.0",
        "kind": "functional",
        "built": True,
        "compiled": True,
        "inputs": inputs or (table_input(),),
        "outputs": (price_output(),) if outputs is None else outputs,
    }
    return msgspec.convert({**facts, **more}, ModelFacts)


def price_output(
    shape: tuple[int | None, ...] = (None, 1), loss: str = "mean_squared_error", **more: Any
) -> ModelOutput:
    """An output without activation."""
    return ModelOutput(name="price", shape=shape, activation="linear", loss=Loss(name=loss, **more))


def facts_of(*fields: Field, model: ModelFacts | None = None, **more: Any) -> DataFacts:
    """All together."""
    return DataFacts(model=model or model_of(), fields=fields, **more)
