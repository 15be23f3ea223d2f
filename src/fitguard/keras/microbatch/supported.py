"""Says where a batch cannot be cut at all."""

import ast
import inspect
import textwrap
from typing import Any

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import has_own_step
from fitguard.contract.replicas import replica_devices
from fitguard.keras.microbatch.own_step import OwnStep
from fitguard.keras.microbatch.state_rows import describe_stateful

_APPLYING = ("apply", "apply_gradients", "minimize", "train_step")


def describe_unsupported(model: Any) -> str:
    """Why the model cannot be trained in micro-batches: a sentence; empty where it can."""
    why_not = describe_inseparable(model)
    if why_not:
        return why_not
    if getattr(model, "optimizer", None) is None:
        return "The model was compiled without an optimizer: there is no step to split."
    return _own_step(model)


def describe_inseparable(model: Any) -> str:
    """Why the rows of a batch cannot be cut apart, even for evaluation; empty where they can."""
    return _replicas(model) or describe_stateful(model)


def _replicas(model: Any) -> str:
    strategy = model.distribute_strategy
    replicas, name = strategy.num_replicas_in_sync, type(strategy).__name__
    if replicas == 1:
        return ""
    if isinstance(model, OwnStep):
        return (
            f"The model was made under {name} with {replicas} replicas. fitguard cannot split the"
            " batch of a step of your own there: each replica has a share of it."
        )
    if len(replica_devices(strategy)) != replicas:
        return (
            f"The model was made under {name} with {replicas} replicas, not all of which are in"
            " this process. fitguard can split a batch only where all replicas are on one machine."
        )
    if uses_xla(model):
        return (
            f"The model was made under {name} with {replicas} replicas and is compiled with XLA."
            " TensorFlow cannot compile a step that uses several devices: pass jit_compile=False"
            " to compile."
        )
    return ""


def _own_step(model: Any) -> str:
    if not has_own_step(model, "train_step") or isinstance(model, OwnStep):
        # A function of a loop is known once it is traced.
        return ""
    name = type(model).__name__
    others = [
        attribute
        for attribute, value in vars(model).items()
        if value is not model.optimizer and hasattr(value, "apply_gradients")
    ]
    if others:
        return (
            f"{name} has a train_step of its own, and a second optimizer in {others[0]}. It can be"
            " split only where it applies gradients once, with model.optimizer."
        )
    found = _applying_calls(type(model).train_step)
    if found is None or found == 1:
        return ""
    return (
        f"The train_step of {name} applies gradients at {found} places. It can be split only where"
        " it does so once, with model.optimizer."
    )


def _applying_calls(function: Any) -> int | None:
    """How many calls in the source apply gradients; None where the source cannot be read."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sum(
        isinstance(call, ast.Attribute)
        and call.attr in _APPLYING
        and any(word in ast.unparse(call.value) for word in ("opt", "super()"))
        for call in calls
    )
