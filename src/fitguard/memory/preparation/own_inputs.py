"""What a model tells about its inputs, where no data were given."""

from typing import Any

from fitguard.contract.libraries import is_a
from fitguard.contract.nodes import functional_of
from fitguard.inputs.models.asking import ask
from fitguard.inputs.models.tensors import dtype_of, shape_of
from fitguard.memory.preparation.specs import spec
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.model import ModelFacts


def own_inputs(model: Any, facts: ModelFacts) -> Any:
    """The specs of x in the structure that the model takes, the batch open.

    Raises:
        UsageError: where the model does not know them itself.
    """
    functional = ask(lambda: functional_of(model), None)
    if functional is not None:
        return _build_specs(functional.inputs[0] if is_a(model, "Sequential") else functional.input)
    called = ask(lambda: model.save_spec()[0][0], None)  # Keras 2 keeps it of the first call
    if called is not None:
        return _build_specs(called)
    built = _read_built_shapes(model)
    if built is not None:
        inputs = facts.inputs or ()
        return _of_shapes(built, inputs[0].dtype if len(inputs) == 1 else "float32")
    raise UsageError(
        f"Received {facts.name}, a {type(model).__name__} that does not know the shape of its "
        "input, without data. Expected x: the data, or their shape, say x=(None, 224, 224, 3)"
    )


def _build_specs(structure: Any) -> Any:
    """Symbolic tensors or specs as specs with an open batch."""
    if isinstance(structure, dict):
        return {key: _build_specs(item) for key, item in structure.items()}
    if isinstance(structure, list | tuple):
        return tuple(_build_specs(item) for item in structure)
    return spec((None, *(shape_of(structure) or (None,))[1:]), dtype_of(structure))


def _read_built_shapes(model: Any) -> Any:
    """The shapes that a model with code of its own was built for."""
    built = ask(model.get_build_config, None) or {}
    by_name = built.get("shapes_dict", built)
    return next(iter(by_name.values()), None)


def _of_shapes(shapes: Any, dtype: str) -> Any:
    if isinstance(shapes, dict):
        return {key: _of_shapes(item, dtype) for key, item in shapes.items()}
    lengths = list(shapes)
    if all(length is None or isinstance(length, int) for length in lengths):
        return spec((None, *lengths[1:]), dtype)
    return tuple(_of_shapes(item, dtype) for item in lengths)
