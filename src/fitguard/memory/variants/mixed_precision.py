"""The training in mixed precision."""

from dataclasses import replace
from typing import Any

from fitguard.memory.training import Training
from fitguard.memory.variants.cloning import Config, clone
from fitguard.memory.variants.compiling import compile_like
from fitguard.memory.variants.variant import Variant, attempt

_POLICIES = ("DTypePolicy", "Policy")


def with_policy(training: Training, policy: str) -> Variant:
    """The training as if `policy` were set before the model was made.

    Layers that compute in float32 change over; those with another dtype keep it. A loss scaler is
    put around the optimizer where Keras would do so.

    Args:
        policy: `mixed_float16` or `mixed_bfloat16`.
    """
    return attempt(lambda: _build_training(training, policy))


def _build_training(training: Training, policy: str) -> Training:
    twin = clone(training, lambda config: _apply_policy(config, policy), policy=policy)
    compile_like(training, twin)
    return replace(training, model=twin)


def _apply_policy(config: Config, policy: str) -> Config:
    return {key: _value(key, value, policy) for key, value in config.items()}


def _value(key: str, value: Any, policy: str) -> Any:
    """A setting, with the policy in place of float32: of the layer and of all that it wraps."""
    if isinstance(value, list | tuple):
        items = [_value("", item, policy) for item in value]
        return tuple(items) if isinstance(value, tuple) else items
    if not isinstance(value, dict):
        return policy if key == "dtype" and value == "float32" else value
    if value.get("class_name") == "InputLayer":
        return value
    if value.get("class_name") in _POLICIES and value["config"].get("name") == "float32":
        return policy
    return _apply_policy(value, policy)
