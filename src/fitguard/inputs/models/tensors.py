"""The symbolic tensors at the ends of a functional model: names, shapes, dtypes."""

from typing import Any, Literal

from fitguard.contract.layers import maker_of
from fitguard.inputs.models.asking import ask, trait
from fitguard.schema.model import Shape


def shape_of(tensor: Any) -> Shape | None:
    """With the batch axis; None where not even the rank is known."""
    return ask(
        lambda: tuple(None if length is None else int(length) for length in tensor.shape), None
    )


def dtype_of(tensor: Any) -> str:
    """As NumPy spells it."""
    dtype = trait(tensor, "dtype", "float32")
    return str(getattr(dtype, "name", dtype))


def names_in(functional: Any, end: Literal["inputs", "outputs"]) -> list[str]:
    """The names by which `fit` takes a dict for the inputs or outputs, in their flat order.

    That is the key where the model was given a dict, else the name of the Input or of the layer
    that makes the output.
    """
    tensors = getattr(functional, end)
    struct = getattr(functional, end[:-1])
    by_key = struct if isinstance(struct, dict) else {}
    keys = {id(tensor): str(key) for key, tensor in by_key.items()}
    known = ask(lambda: list(getattr(functional, f"{end[:-1]}_names")), [])
    if len(known) != len(tensors):
        known = [_name(tensor, end) for tensor in tensors]
    return [keys.get(id(tensor), name) for tensor, name in zip(tensors, known, strict=True)]


def _name(tensor: Any, end: str) -> str:
    made_by = ask(lambda: str(maker_of(tensor).name), end[:-1])
    return str(trait(tensor, "name", made_by)) if end == "inputs" else made_by
