"""What the parent orders for how the model is compiled."""

import functools
from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wrap, Wraps
from fitguard.schema.journal import Orders


def compiling_wraps(orders: Orders) -> Wraps:
    """Without XLA, and in mixed precision, where that was allowed and ordered."""
    wraps: dict[Role, Wrap] = {}
    if orders.jit_off:
        wraps[Role.COMPILE] = _wrap_compile
    if orders.mixed_precision:
        wraps[Role.LAYER_MADE] = _wrap_layer_init
    return wraps


def _wrap_compile(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    @functools.wraps(original)
    def compile(model: Any, *args: Any, **kwargs: Any) -> Any:
        return original(model, *args, **{**kwargs, "jit_compile": False})

    return compile


def _wrap_layer_init(original: Callable[..., Any], library: Library) -> Callable[..., Any]:
    """Layers that name no dtype of their own compute in 16 bits."""

    @functools.wraps(original)
    def init(layer: Any, *args: Any, **kwargs: Any) -> None:
        _set_policy(library)
        original(layer, *args, **kwargs)

    return init


@functools.cache
def _set_policy(library: Library) -> None:
    policies = library.module("mixed_precision")
    if policies.global_policy().name == "float32":
        policies.set_global_policy("mixed_float16")
