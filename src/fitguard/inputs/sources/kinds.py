"""Which kind of data `fit` was given."""

import functools
import inspect
import types
from typing import Any, Literal

from fitguard.contract.libraries import is_a
from fitguard.inputs.sources.structure import Leaf, TooDeep, is_nested, leaves
from fitguard.schema.data import Role
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
    if is_a(x, "PyDataset", "Sequence"):
        return "pydataset"
    if isinstance(x, types.GeneratorType):
        return "generator"
    if descends(x, "torch", "DataLoader") or type(x).__module__.split(".")[0] == "grain":
        return "foreign"
    if inspect.isroutine(x):
        return "factory"
    require_arrays(x, "x")
    return "arrays"


def require_arrays(part: Any, role: Role) -> None:
    """Look whether something is arrays, or lists and dicts of them.

    Raises:
        UsageError: where it is not.
    """
    try:
        found = list(leaves(part, role))
        bad = next((leaf for leaf in found if not is_array(leaf.value)), None)
    except TooDeep as error:
        raise UsageError(str(error)) from None
    except Exception as error:  # a class of the user's
        raise UsageError(
            f"Received {role}, a {type(part).__name__} that cannot be looked into "
            f"({type(error).__name__}). Expected arrays, or lists and dicts of them"
        ) from error
    if not found:
        raise UsageError(f"Received no {role}. Expected the data that `fit` is given")
    if bad is not None:
        raise UsageError(_unknown(part, role, bad))


def descends(value: Any, library: str, *names: str) -> bool:
    """Whether a class of that name, from that library, is among the ancestors."""
    cls: type = type(value)
    return _descends(cls, library, names)


@functools.lru_cache(maxsize=512)  # asked several times for each batch
def _descends(cls: type, library: str, names: tuple[str, ...]) -> bool:
    return any(
        ancestor.__name__ in names and str(ancestor.__module__).split(".")[0] == library
        for ancestor in cls.__mro__
    )


def is_array(value: Any) -> bool:
    """Whether Keras can cut batches out of it: NumPy, pandas, tensors, sparse matrices."""
    return (hasattr(value, "__array__") or hasattr(value, "toarray") or _is_tensor(value)) and (
        not isinstance(value, type)
    )


def _is_tensor(value: Any) -> bool:
    return descends(value, "tensorflow", "Tensor", "RaggedTensor", "SparseTensor")


def _unknown(part: Any, role: Role, bad: Leaf) -> str:
    received = type(part).__name__ if role == "x" else f"{role}, a {type(part).__name__}"
    advice = ""
    if is_nested(part):
        received = f"{bad.name}, a {type(bad.value).__name__}, in a {type(part).__name__}"
        advice = f": numpy.array({role}) makes one array of it"
    elif hasattr(part, "__next__"):
        received = f"an iterator ({received})"
        advice = ": `fit` takes generators, but no other iterators" if role == "x" else ""
    streams = ""
    if role == "x":
        streams = ", tf.data.Dataset, PyDataset, a generator or a function that makes one"
    return (
        f"Received {received}. Expected what `fit` takes: arrays, tensors, pandas, lists and dicts "
        f"of them{streams}{advice}"
    )
