"""The counters from which Keras numbers `dense`, `dense_1`, `dense_2`."""

import collections
import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.libraries import find_loaded_modules


@contextlib.contextmanager
def keeping_name_counters() -> Iterator[None]:
    """Put the counters back, so that layers made afterwards get the names they would have got."""
    with contextlib.ExitStack() as stack:
        for global_state in find_loaded_modules(3, "src.backend.common.global_state"):
            stack.callback(_restore_of_keras_3(global_state))
        for backend in find_loaded_modules(2, "src.backend"):
            stack.callback(_restore_of_keras_2(backend))
        yield


def _restore_of_keras_3(global_state: Any) -> Callable[[], None]:
    name = "object_name_uids"
    kept = collections.defaultdict(int, global_state.get_global_attribute(name) or {})
    return lambda: global_state.set_global_attribute(name, kept)


def _restore_of_keras_2(backend: Any) -> Callable[[], None]:
    by_graph = backend.PER_GRAPH_OBJECT_NAME_UIDS
    kept = [(graph, dict(counters)) for graph, counters in by_graph.items()]

    def restore() -> None:
        by_graph.clear()
        for graph, counters in kept:
            by_graph[graph] = collections.defaultdict(int, counters)

    return restore
