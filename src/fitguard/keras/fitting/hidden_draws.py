"""Random numbers that are drawn inside of TensorFlow's kernels: their state cannot be saved."""

from collections.abc import Iterator
from typing import Any

from fitguard.contract.datasets.operations import HIDDEN_DRAWS
from fitguard.keras.fitting.traced import traced_functions


def hidden_draws(train_function: Any) -> str:
    """A sentence that names the first of them in a traced function; empty where there is none."""
    for graph in _graphs(train_function):
        for operation in graph.get_operations():
            if operation.type in HIDDEN_DRAWS:
                return (
                    f"the training step draws random numbers in {operation.name} "
                    f"({operation.type}), whose state TensorFlow keeps to itself: after an "
                    "interruption it draws others. Exact would be keras.random with a "
                    "SeedGenerator; for the Dropout of tf_keras, "
                    "tf_keras.backend.experimental.enable_tf_random_generator() at the "
                    "beginning of the script"
                )
    return ""


def _graphs(train_function: Any) -> Iterator[Any]:
    waiting = [
        concrete.graph
        for function in traced_functions(train_function)
        for concrete in function._list_all_concrete_functions()
    ]
    seen: set[int] = set()
    while waiting:
        graph = waiting.pop()
        if graph is None or id(graph) in seen:
            continue
        seen.add(id(graph))
        yield graph
        inner = getattr(graph, "_functions", {})
        waiting.extend(getattr(function, "graph", None) for function in inner.values())
