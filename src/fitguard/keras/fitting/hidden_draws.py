"""Random numbers that are drawn inside of TensorFlow's kernels: their state cannot be saved."""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.datasets.operations import HIDDEN_DRAWS
from fitguard.contract.libraries import Library
from fitguard.contract.traces import find_traced_bodies
from fitguard.keras.traced import find_traced_functions


def describe_hidden_draws(train_function: Any, library: Library) -> str:
    """A sentence that names the first of them in a traced function; empty where there is none.

    Args:
        library: Of the model: what helps in one does not exist in another.
    """
    for name, kind in _operations(train_function):
        if kind in HIDDEN_DRAWS:
            return (
                f"the training step draws random numbers in {name} ({kind}), whose state "
                "TensorFlow does not show. After a restart it draws different ones. To make it "
                f"exact, use {_remedy(library)}"
            )
    return ""


def _remedy(library: Library) -> str:
    if library.generation == 3:
        return "keras.random with a keras.random.SeedGenerator instead of tf.random"
    return (
        f"{library.package}.backend.experimental.enable_tf_random_generator() at the start of "
        "the script, for layers such as Dropout; in your own code, a tf.random.Generator"
    )


def _operations(train_function: Any) -> Iterator[tuple[str, str]]:
    """Name and kind of each, of the functions that it calls too."""
    for function in find_traced_functions(train_function):
        for body in find_traced_bodies(function):
            if hasattr(body, "get_operations"):
                yield from ((operation.name, operation.type) for operation in body.get_operations())
            else:
                yield from ((node.name, node.op) for node in body.node_def)
