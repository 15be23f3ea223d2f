"""Where the ways into Python objects begin that reading the data may change."""

from collections import deque
from typing import Any

from fitguard.contract.datasets.distributed import original_of
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.contract.epoch_data import LOADERS
from fitguard.contract.libraries import package_of
from fitguard.contract.random_sources import is_random_source


def python_roots(data: Any) -> dict[str, Any]:
    """Where the ways into Python objects begin that reading may change.

    Args:
        data: What Keras reads the batches from: `EpochData`.
    """
    if data.loader is not None:
        return loader_roots(data.loader)
    return data_roots(data.python_data) if data.kind else pipeline_roots(data.dataset)


def data_roots(data: Any) -> dict[str, Any]:
    """Those of a data object of the user's; None has none."""
    return {} if data is None else {"data": data}


def pipeline_roots(dataset: Any) -> dict[str, Any]:
    """Those of the Python functions that a `tf.data` pipeline calls."""
    original = original_of(dataset).dataset
    stages = DatasetStage(original).pipeline() if original is not None else []
    functions = [function for stage in stages for function in stage.functions.values()]
    called = [python for function in functions for python in function.python]
    return {f"function {number}": python for number, python in enumerate(called)}


def loader_roots(loader: Any) -> dict[str, Any]:
    """Those of a `DataLoader` of torch or a dataset of Grain: what the user gave to it.

    Other objects have none.
    """
    found: dict[str, Any] = {}
    seen: dict[int, Any] = {}
    waiting = deque([("data", loader)] if package_of(type(loader)) in LOADERS else [])
    while waiting:
        way, thing = waiting.popleft()
        if id(thing) in seen:
            continue
        seen[id(thing)] = thing
        if package_of(type(thing)) in LOADERS and not is_random_source(thing):
            held = getattr(thing, "__dict__", {})
            waiting.extend((f"{way}.{name}", part) for name, part in held.items())
        elif isinstance(thing, tuple):
            waiting.extend((f"{way}[{number}]", part) for number, part in enumerate(thing))
        elif thing is not None and not isinstance(thing, type):
            found[way] = thing
    return found
