"""Looks through a `tf.data` pipeline: its stages, their functions, what is random in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

RANDOM_OPS = frozenset(
    {
        "Multinomial",
        "ParameterizedTruncatedNormal",
        "RandomGamma",
        "RandomPoissonV2",
        "RandomShuffle",
        "RandomStandardNormal",
        "RandomUniform",
        "RandomUniformInt",
        "SampleDistortedBoundingBox",
        "SampleDistortedBoundingBoxV2",
        "TruncatedNormal",
    }
)
"""Operations that keep the state of their random numbers to themselves."""
_STATE_OPS = frozenset(
    {"AssignAddVariableOp", "AssignSubVariableOp", "AssignVariableOp", "RngReadAndSkip", "RngSkip"}
)
_PYTHON_OPS = frozenset({"EagerPyFunc", "PyFunc"})


@dataclass(frozen=True)
class Stage:
    """One transformation of a pipeline.

    Args:
        unseeded: What it draws without a seed: names of operations.
        random: Whether its functions draw random numbers, or change variables.
        python: Whether they call Python.
        parallel: Whether several calls run at once.
        unordered: Whether elements may come in another order.
        variables: Handles of the variables that its functions use.
    """

    name: str
    unseeded: tuple[str, ...] = ()
    random: bool = False
    python: bool = False
    parallel: bool = False
    unordered: bool = False
    variables: tuple[Any, ...] = ()

    @property
    def shuffles(self) -> bool:
        return self.name in ("_ShuffleDataset", "_RandomDataset")


def stages(dataset: Any) -> Iterator[Stage]:
    """All stages, from the last to the first."""
    for node in nodes(dataset):
        yield _stage(node)


def nodes(dataset: Any) -> Iterator[Any]:
    """The datasets that a dataset is made of, itself first."""
    waiting = [getattr(dataset, "_original_dataset", dataset)]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(node._inputs() if hasattr(node, "_inputs") else ())


def _stage(node: Any) -> Stage:
    name = type(node).__name__
    functions = [wrapper.function for wrapper in _functions(node)]
    operations = [node for function in functions for node in _operations(function)]
    kinds = {operation.op for operation in operations}
    unseeded = {operation.op for operation in operations if _unseeded(operation)}
    unseeded |= {op for function in functions for op in _unseeded_shuffles(function)}
    if name in ("_ShuffleDataset", "_RandomDataset") and _zero(node._seed) and _zero(node._seed2):
        unseeded.add(name)
    return Stage(
        name=name,
        unseeded=tuple(sorted(unseeded)),
        random=bool(kinds & (RANDOM_OPS | _STATE_OPS)),
        python=bool(kinds & _PYTHON_OPS),
        parallel=name.startswith("_Parallel") and not _one(node),
        unordered=getattr(node, "_deterministic", "") == "false",
        variables=tuple(handle for function in functions for handle in _variables(function)),
    )


def _functions(node: Any) -> list[Any]:
    return list(node._functions()) if hasattr(node, "_functions") else []


def _operations(function: Any) -> list[Any]:
    graph = function.graph.as_graph_def()
    inner = [node for part in graph.library.function for node in part.node_def]
    return [*graph.node, *inner]


def _unseeded(operation: Any) -> bool:
    if operation.op not in RANDOM_OPS:
        return False
    return bool(operation.attr["seed"].i == 0 and operation.attr["seed2"].i == 0)


def _unseeded_shuffles(function: Any) -> Iterator[str]:
    """Shuffles inside of a function, whose seeds are constants beside them."""
    import tensorflow as tf

    graph = function.graph.as_graph_def()
    for operations in (graph.node, *(part.node_def for part in graph.library.function)):
        constants = {
            node.name: node.attr["value"].tensor for node in operations if node.op == "Const"
        }
        for node in operations:
            if node.op.startswith("ShuffleDataset"):
                seeds = [constants.get(name.split(":")[0]) for name in node.input[2:4]]
                if all(seed is not None and not tf.make_ndarray(seed).any() for seed in seeds):
                    yield node.op


def _variables(function: Any) -> Iterator[Any]:
    import tensorflow as tf

    for captured in function.captured_inputs:
        if captured.dtype == tf.resource and getattr(captured, "_handle_data", None):
            yield captured


def _zero(seed: Any) -> bool:
    return int(seed) == 0


def _one(node: Any) -> bool:
    calls = getattr(node, "_num_parallel_calls", None)
    return calls is not None and int(calls) == 1
