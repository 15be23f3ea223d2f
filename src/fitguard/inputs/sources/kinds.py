"""Which kind of data `fit` was given."""

import inspect
import types
from collections.abc import Mapping
from typing import Any, Literal

from fitguard.inputs.sources.structure import leaves
from fitguard.schema.exit_codes import UsageError

Kind = Literal["arrays", "dataset", "distributed", "pydataset", "generator", "factory", "foreign"]


def kind_of(x: Any) -> Kind:
    """The kind of what stands for x.

    Raises:
        UsageError: for what `fit` does not take.
    """
    if descends(x, "tensorflow", "DistributedDatasetInterface"):
        return "distributed"
    if descends(x, "tensorflow", "DatasetV2"):
        return "dataset"
    if descends(x, "keras", "PyDataset") or descends(x, "tf_keras", "Sequence"):
        return "pydataset"
    if isinstance(x, types.GeneratorType):
        return "generator"
    if descends(x, "torch", "DataLoader") or type(x).__module__.split(".")[0] == "grain":
        return "foreign"
    if inspect.isroutine(x):
        return "factory"
    found = list(leaves(x, "x"))
    if found and all(is_array(leaf.value) for leaf in found):
        return "arrays"
    raise UsageError(_unknown(x))


def descends(value: Any, library: str, *names: str) -> bool:
    """Whether a class of that name, from that library, is among the ancestors."""
    return any(
        ancestor.__name__ in names and ancestor.__module__.split(".")[0] == library
        for ancestor in type(value).__mro__
    )


def is_array(value: Any) -> bool:
    """Whether Keras can cut batches out of it: NumPy, pandas, tensors, sparse matrices."""
    return (hasattr(value, "__array__") or hasattr(value, "toarray") or _is_tensor(value)) and (
        not isinstance(value, type)
    )


def _is_tensor(value: Any) -> bool:
    return descends(value, "tensorflow", "Tensor", "RaggedTensor", "SparseTensor")


def _unknown(x: Any) -> str:
    received = type(x).__name__
    advice = ""
    if not isinstance(x, str) and not list(leaves(x, "x")):
        return "Received no x. Expected the data that `fit` is given"
    if isinstance(x, list | tuple | Mapping):
        bad = next(leaf for leaf in leaves(x, "x") if not is_array(leaf.value))
        received = f"{bad.name}, a {type(bad.value).__name__}, in a {received}"
        advice = ": numpy.array(x) makes one array of nested lists"
    elif hasattr(x, "__next__"):
        received = f"an iterator ({received})"
        advice = ": `fit` takes generators, but no other iterators"
    return (
        f"Received {received}. Expected what `fit` takes: arrays, tensors, pandas, lists and dicts "
        f"of them, tf.data.Dataset, PyDataset, a generator or a function that makes one{advice}"
    )
