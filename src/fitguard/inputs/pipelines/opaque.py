"""Datasets of which only the variant is at hand: those that a function has captured, or that
TensorFlow rewrote (`choose_from_datasets`, `enumerate`).

TensorFlow can write such a dataset down as a graph. The graph shows all its operations. Where
shuffles and caches are in it, it is rebuilt without them: a dataset made from the graph as it is
would share the seed generator of the original.
"""

from typing import Any, NamedTuple

from fitguard.contract.datasets.functions import python_of
from fitguard.contract.datasets.operations import Operation, operations_in_nodes

_LEFT_OUT = ("ShuffleDataset", "CacheDataset", "PrefetchDataset", "SnapshotDataset")
_IGNORE_STATE = 1


class Opaque(NamedTuple):
    """A dataset for reading, made of a variant.

    Args:
        obstacle: Why it cannot be read without a trace; empty where it can.
    """

    variant: Any
    operations: tuple[Operation, ...] = ()
    python: tuple[Any, ...] = ()
    obstacle: str = ""


def rebuild_opaque(variant: Any) -> Opaque:
    """The same dataset without shuffles and caches."""
    import tensorflow as tf

    try:
        graph = _graph(tf, variant)
    except Exception as error:  # not every dataset can be written down
        return Opaque(
            variant, obstacle=f"A dataset in it cannot be looked into ({_format_error(error)})."
        )
    stale = {node.name: node.input[0] for node in graph.node if node.op.startswith(_LEFT_OUT)}
    for node in graph.node if stale else ():
        inputs = [_skip_stale(name, stale) for name in node.input]
        del node.input[:]
        node.input.extend(inputs)
    live = [node for node in graph.node if node.name not in stale]
    inner = [op for f in graph.library.function for op in operations_in_nodes(f.node_def)]
    operations = (*operations_in_nodes(live), *inner)
    python, lost = python_of(operations)
    obstacle = ""
    # The graph itself fills copies of variables; only functions write to the user's own.
    random_source = any(op.kind == "RandomDatasetV2" for op in operations)
    if lost or random_source or any(op.writes_variable for op in inner):
        obstacle = "A dataset in it holds state that cannot be put back."
    outside = sorted({op.kind for op in operations if op.acts_outside or op.prints})
    if outside:
        obstacle = f"A dataset in it may change something outside of it ({outside[0]})."
    if stale and not obstacle:
        variant = tf.raw_ops.DatasetFromGraph(graph_def=graph.SerializeToString())
    return Opaque(variant, operations, python, obstacle)


def _graph(tf: Any, variant: Any) -> Any:
    text = tf.raw_ops.DatasetToGraphV2(
        input_dataset=variant,
        external_state_policy=_IGNORE_STATE,
        strip_device_assignment=False,
    )
    return tf.compat.v1.GraphDef.FromString(text.numpy())


def _skip_stale(name: str, stale: dict[str, str]) -> str:
    while name in stale:
        name = stale[name]
    return name


def _format_error(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0]:.80}"
