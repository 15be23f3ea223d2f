"""Random numbers that are drawn inside of TensorFlow's kernels: their state cannot be saved."""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.datasets.operations import HIDDEN_DRAWS
from fitguard.contract.traces import traced_bodies
from fitguard.keras.fitting.traced import traced_functions


def hidden_draws(train_function: Any) -> str:
    """A sentence that names the first of them in a traced function; empty where there is none."""
    for name, kind in _operations(train_function):
        if kind in HIDDEN_DRAWS:
            return (
                f"the training step draws random numbers in {name} ({kind}), whose state "
                "TensorFlow keeps to itself: after an interruption it draws others. Exact would "
                "be, in Keras 3, keras.random with a SeedGenerator; for the Dropout of Keras 2, "
                "backend.experimental.enable_tf_random_generator() of keras or tf_keras at the "
                "beginning of the script"
            )
    return ""


def _operations(train_function: Any) -> Iterator[tuple[str, str]]:
    """Name and kind of each, of the functions that it calls too."""
    for function in traced_functions(train_function):
        for body in traced_bodies(function):
            if hasattr(body, "get_operations"):
                yield from ((operation.name, operation.type) for operation in body.get_operations())
            else:
                yield from ((node.name, node.op) for node in body.node_def)
