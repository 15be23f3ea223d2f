"""The inputs of a model, and what the first layers behind each demand."""

from typing import Any

import msgspec

from fitguard.contract.layers import maker_of
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.graph import Graph, Step
from fitguard.inputs.models.kinds import SAME_VALUES, kind, split_names, unwrap_layer
from fitguard.inputs.models.lookups import position_tables, token_tables
from fitguard.inputs.models.masks import mask_of
from fitguard.inputs.models.open_shapes import LeastAxes, least_axes
from fitguard.inputs.models.precision import reading_dtype
from fitguard.inputs.models.rescaling import first_reader, is_rescaled
from fitguard.inputs.models.tensors import dtype_of, names_in, shape_of
from fitguard.schema.model import IndexTable, ModelInput, Shape

_READS_TEXT = ("StringLookup", "TextVectorization")
_SAME_LENGTH = split_names(
    """
    InputLayer Identity Cast Embedding Masking Dropout SpatialDropout1D GaussianNoise Dense
    EinsumDense LayerNormalization BatchNormalization Rescaling Normalization Activation Add
    Multiply Divide TrueDivide tf.cast tf.identity tf.add tf.multiply tf.truediv
    """
)


def inputs_of(model: Any, graph: Graph | None) -> tuple[ModelInput, ...] | None:
    """The inputs in the order in which `fit` takes them in a list; None where nobody knows them."""
    functional = ask(lambda: functional_of(model), None)
    if functional is not None:
        ends = zip(names_in(functional, "inputs"), functional.inputs, strict=True)
        return tuple(
            _add_graph_facts(graph, place, _read_input(name, tensor))
            for place, (name, tensor) in enumerate(ends)
        )
    if graph is not None and graph.steps:
        return (
            _add_graph_facts(graph, 0, _build_unnamed_input([step.layer for step in graph.steps])),
        )
    return _read_own_code_input(model)


def _read_input(name: str, tensor: Any) -> ModelInput:
    return ModelInput(
        name=name,
        shape=shape_of(tensor),
        dtype=dtype_of(tensor),
        optional=ask(lambda: bool(maker_of(tensor).optional), False),
    )


def _build_unnamed_input(layers: list[Any]) -> ModelInput:
    """The input of a Sequential model that is not built: many shapes will do as yet."""
    first = layers[0]
    text = kind(first) in _READS_TEXT
    dtype = "string" if text else str(trait(first, "compute_dtype") or "float32")
    needed = ask(lambda: least_axes(layers), LeastAxes())
    return ModelInput(
        name="input",
        shape=None,
        dtype=dtype,
        least_axes=needed.axes or None,
        axes_layer=needed.layer,
    )


def _read_own_code_input(model: Any) -> tuple[ModelInput, ...] | None:
    """A subclassed model that was built for one tensor, and looks tokens up; None of others."""
    tables = token_tables(model) if _takes_one_tensor(model) else ()
    if not tables:
        return None
    tightest = min(position_tables(model), key=lambda table: table.rows, default=None)
    return (
        ModelInput(
            name="input",
            shape=None,
            dtype="int32",
            tables=tables,
            longest=tightest.rows if tightest else None,
            longest_layer=tightest.layer if tightest else None,
        ),
    )


def _takes_one_tensor(model: Any) -> bool:
    return _is_shape(ask(lambda: model.get_build_config()["input_shape"], None))


def _is_shape(shape: Any) -> bool:
    return isinstance(shape, list | tuple) and all(
        length is None or isinstance(length, int) for length in shape
    )


def _add_graph_facts(graph: Graph | None, place: int, given: ModelInput) -> ModelInput:
    """The same input, with what the graph tells about it."""
    if graph is None:
        return given
    value = graph.inputs[place]
    same = graph.follow([value], lambda step: kind(unwrap_layer(step.layer)) in SAME_VALUES)
    mask = ask(lambda: mask_of(graph, value), None)
    tightest = ask(lambda: _tightest(graph, value, given.shape), None)
    return msgspec.structs.replace(
        given,
        reader=ask(lambda: first_reader(graph, value), None),
        rescaled=ask(lambda: is_rescaled(graph, value), None),
        compute_dtype=ask(lambda: reading_dtype(graph, value, given.dtype), None),
        takes_text=given.dtype == "string" or any(kind(s.layer) in _READS_TEXT for s in same),
        tables=ask(lambda: tuple(table for step in same for table in _tables(step)), ()),
        longest=tightest.rows if tightest else None,
        longest_layer=tightest.layer if tightest else None,
        mask_value=mask.value if mask else None,
        mask_layer=mask.layer if mask else None,
        recurrent=mask.recurrent if mask else (),
        averaged=mask.averaged if mask else (),
    )


def _tables(step: Step) -> tuple[IndexTable, ...]:
    layer = unwrap_layer(step.layer)
    if kind(layer) == "Embedding":
        return (IndexTable(str(step.layer.name), int(layer.input_dim)),)
    # What the user's own code does with a second input, nobody knows.
    return token_tables(layer) if kind(layer) == "" and len(step.reads) == 1 else ()


def _tightest(graph: Graph, value: int, shape: Shape | None) -> IndexTable | None:
    if shape is not None and len(shape) not in (2, 3):
        return None
    reached = graph.follow([value], lambda step: kind(unwrap_layer(step.layer)) in _SAME_LENGTH)
    tables = [
        table
        for step in reached
        if kind(step.layer) == "" and len(step.reads) == 1
        for table in position_tables(step.layer)
    ]
    return min(tables, key=lambda table: table.rows, default=None)
