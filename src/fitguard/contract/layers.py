"""What Keras keeps of layers, and of the symbolic tensors between them."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.libraries import Library

Note = Callable[[Any, tuple[Any, ...], dict[str, Any]], bool]
"""Is told a layer and what it is called with; whether calls inside of it are to be told too."""


def flatten_layers(layer: Any) -> list[Any]:
    """A layer or model itself, then all layers inside of it."""
    return list(layer._flatten_layers())


def casts_floats(layer: Any) -> bool:
    """Whether floats are cast to what the layer computes in, before its own code gets them."""
    return bool(getattr(layer, "autocast", getattr(layer, "_autocast", False)))


def maker_of(tensor: Any) -> Any:
    """The layer or operation that a symbolic tensor comes from."""
    return tensor._keras_history[0]


def carries_mask(tensor: Any) -> bool:
    """Whether an earlier layer has put a mask on a tensor."""
    return getattr(tensor, "_keras_mask", None) is not None


@contextlib.contextmanager
def noting_calls(library: Library, note: Note) -> Iterator[None]:
    """Meanwhile each call of a layer is told, in the order in which they are made."""
    cls = library.module("layers").Layer
    own = cls.__call__
    silent = False

    @functools.wraps(own)
    def note_and_call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        nonlocal silent
        before = silent
        silent = silent or not note(layer, args, kwargs)
        try:
            return own(layer, *args, **kwargs)
        finally:
            silent = before

    cls.__call__ = note_and_call
    try:
        yield
    finally:
        cls.__call__ = own
