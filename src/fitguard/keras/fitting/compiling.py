"""What the parent orders for how the model is compiled."""

import functools
import importlib
from collections.abc import Callable
from typing import Any

from fitguard.memory.fit_call.patching import Methods
from fitguard.schema.journal import Orders


def compiling(orders: Orders) -> Methods:
    """Without XLA, and in mixed precision, where that was allowed and ordered."""
    methods: dict[str, dict[tuple[str, str], Any]] = {}
    if orders.jit_off:
        methods["keras.src.trainers.trainer"] = {("Trainer", "compile"): _without_xla}
        methods["tf_keras.src.engine.training"] = {("Model", "compile"): _without_xla}
    if orders.mixed_precision:
        methods["keras.src.layers.layer"] = {("Layer", "__init__"): _mixed("keras")}
        methods["tf_keras.src.engine.base_layer"] = {("Layer", "__init__"): _mixed("tf_keras")}
    return methods


def _without_xla(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def compile(model: Any, *args: Any, **kwargs: Any) -> Any:
        return original(model, *args, **{**kwargs, "jit_compile": False})

    return compile


def _mixed(library: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Layers that name no dtype of their own compute in 16 bits."""
    set_policy_once = functools.cache(_set_policy)

    def wrap(original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def init(layer: Any, *args: Any, **kwargs: Any) -> None:
            set_policy_once(library)
            original(layer, *args, **kwargs)

        return init

    return wrap


def _set_policy(library: str) -> None:
    policies = importlib.import_module(f"{library}.mixed_precision")
    if policies.global_policy().name == "float32":
        policies.set_global_policy("mixed_float16")
