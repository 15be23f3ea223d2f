"""The shape of a batch, told without reading anything."""

from typing import Any

from fitguard.inputs.sources.kinds import descends, is_array
from fitguard.inputs.sources.structure import leaves, unpack_element
from fitguard.schema.model import Shape


def batch_shape(x: Any) -> Shape | None:
    """The shape of a batch of x, the batch axis open; None where x does not tell, or has parts."""
    try:
        if descends(x, "tensorflow", "DatasetV2"):
            return _read_dataset_shape(x.element_spec)
        return _read_array_shape(x) if is_array(x) else None
    except Exception:  # whatever a class of the user's raises
        return None


def _read_array_shape(array: Any) -> Shape | None:
    shape = tuple(array.shape)
    return (None, *(length if length is None else int(length) for length in shape[1:]))


def _read_dataset_shape(spec: Any) -> Shape | None:
    parts = [leaf for role, part in unpack_element(spec).parts() for leaf in leaves(part, role)]
    inputs = [leaf for leaf in parts if leaf.name.startswith("x")]
    # A part without an axis tells that elements are single samples.
    if len(inputs) != 1 or any(leaf.value.shape.rank in (None, 0) for leaf in parts):
        return None
    return (None, *inputs[0].value.shape.as_list()[1:])
