"""The counters from which both libraries number `dense`, `dense_1`, `dense_2`."""

import collections
import contextlib
import sys
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def keeping_name_counters() -> Iterator[None]:
    """Put the counters back, so that layers made afterwards get the names they would have got."""
    with contextlib.ExitStack() as stack:
        for module, keep in (
            ("keras.src.backend.common.global_state", _keep_keras_3),
            ("tf_keras.src.backend", _keep_tf_keras),
        ):
            loaded = sys.modules.get(module)
            if loaded is not None:
                keep(loaded, stack)
        yield


def _keep_keras_3(global_state: Any, stack: contextlib.ExitStack) -> None:
    name = "object_name_uids"
    counters = global_state.get_global_attribute(name)
    kept = collections.defaultdict(int, counters or {})
    stack.callback(global_state.set_global_attribute, name, kept)


def _keep_tf_keras(backend: Any, stack: contextlib.ExitStack) -> None:
    by_graph = backend.PER_GRAPH_OBJECT_NAME_UIDS
    kept = [(graph, dict(counters)) for graph, counters in by_graph.items()]

    def restore() -> None:
        by_graph.clear()
        for graph, counters in kept:
            by_graph[graph] = collections.defaultdict(int, counters)

    stack.callback(restore)
