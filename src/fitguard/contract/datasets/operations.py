"""The operations of traced functions, nested ones included, and what each kind of them does.

TensorFlow marks operations as *stateful*. Most of these harm nothing here: what a random operation
has drawn is counted in its kernel, and each iterator has kernels of its own. Those that are listed
as harmless were looked at one by one; any other stateful operation is taken for one that changes
something outside of the pipeline.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from fitguard.contract.graphs import bodies_within, operation_definition

PYTHON = ("PyFunc", "PyFuncStateless", "EagerPyFunc")
HIDDEN_DRAWS = frozenset(
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
"""They keep the state of their random numbers to themselves."""

_RANDOM = re.compile(
    r"Random(?!.*(Dataset|Queue))|TruncatedNormal|Multinomial|DistortedBoundingBox|NonDeterministic"
    r"|^Stateful(Uniform|StandardNormal|Binomial)|^Rng(Skip|ReadAndSkip)|^StatelessShuffle"
)
_VARIABLE_WRITES = re.compile(
    r"^Assign(Add|Sub)?VariableOp$|^ResourceScatter|^ResourceStridedSliceAssign"
    r"|^Stateful(Uniform|StandardNormal|TruncatedNormal|Random)|^Rng(Skip|ReadAndSkip)"
)
_HARMLESS = re.compile(
    r"^(ReadVariableOp|VariableShape|VarIsInitializedOp|ResourceGather(Nd)?|Assert"
    r"|LookupTable(Find|Size|Export)(V2)?|(Stateful|Stateless)?PartitionedCall"
    r"|(Stateless)?(If|While|Case)|For|MapDefun|Placeholder|DummyMemoryCache|DummySeedGenerator"
    r"|DummyIterationCounter|AnonymousMemoryCache|AnonymousSeedGenerator|DeleteMemoryCache"
    r"|DeleteSeedGenerator|HashTableV2|AnonymousHashTable|InitializeTableV2|LookupTableImportV2"
    r"|VarHandleOp|FixedLengthRecordDataset(V2)?|TFRecordDataset(V2)?|TextLineDataset|NoOp"
    r"|ReadFile|MatchingFiles|CheckNumerics(V2)?|DecodeVideo|_Retval|_Arg|EnsureShape|NonMaxSuppression.*)$"
)
_DATASET = re.compile(r"Dataset(V\d+)?$")
_WRITING_DATASETS = re.compile(
    r"^(Snapshot|Save|DatasetToTFRecord|DataService|RegisterDataset|DistributedSave|Sql|Sleep)"
)
_CACHES = re.compile(r"^CacheDataset(V\d+)?$")
_SEEDED_DATASETS = re.compile(r"^(Shuffle|ShuffleAndRepeat|Random)Dataset(V\d+)?$")


class Operation(NamedTuple):
    """One operation of a function.

    Args:
        stateful: As TensorFlow declares its kind.
        token: Of an operation that runs Python, the key of the function.
        constant_bytes: The size of a constant.
        caches_in_file: Whether it is a cache that may have a file.
        unseeded: Whether it draws, and has neither a seed of its own nor the global one.
    """

    kind: str
    stateful: bool
    token: str = ""
    constant_bytes: int = 0
    caches_in_file: bool = False
    unseeded: bool = False

    @property
    def is_random(self) -> bool:
        return _RANDOM.search(self.kind) is not None

    @property
    def keeps_state(self) -> bool:
        """Whether what it gives depends on how often it ran."""
        return self.kind in HIDDEN_DRAWS or self.writes_variable

    @property
    def writes_variable(self) -> bool:
        return _VARIABLE_WRITES.search(self.kind) is not None

    @property
    def prints(self) -> bool:
        return self.kind in ("Print", "PrintV2")

    @property
    def runs_python(self) -> bool:
        return self.kind in PYTHON

    @property
    def acts_outside(self) -> bool:
        """Whether it does something that is neither known to be harmless nor dealt with."""
        if _WRITING_DATASETS.search(self.kind) or self.caches_in_file:
            return True
        known = (
            not self.stateful
            or self.is_random
            or self.writes_variable
            or self.prints
            or self.runs_python
            or _DATASET.search(self.kind)
            or _HARMLESS.search(self.kind)
        )
        return not known


def operations_of(graph: Any) -> Iterator[Operation]:
    """All operations of a function's graph, and of the functions that it calls."""
    for body in bodies_within(graph):
        if hasattr(body, "get_operations"):
            yield from (_from_operation(operation) for operation in body.get_operations())
        else:
            yield from operations_in_nodes(body.node_def)


def operations_in_nodes(nodes: Iterable[Any]) -> Iterator[Operation]:
    """The operations of a serialised graph or function."""
    by_name = {node.name: node for node in nodes}
    for node in by_name.values():
        names = [name.lstrip("^").split(":")[0] for name in node.input]
        inputs = [by_name.get(name) for name in names]
        declared = operation_definition(node.op)
        yield _operation(node, declared is None or bool(declared.is_stateful), inputs)


def _from_operation(operation: Any) -> Operation:
    kind = operation.type
    if kind == "Const":
        tensor = operation.outputs[0]
        count = tensor.shape.num_elements() or 0
        return Operation(kind, False, constant_bytes=count * _item_bytes(tensor.dtype))
    stateful = operation.op_def is None or operation.op_def.is_stateful
    if not _is_looked_into(kind):
        # A node's definition is copied at each access: only where it is needed.
        return Operation(kind, stateful)
    inputs = [tensor.op.node_def for tensor in operation.inputs]
    return _operation(operation.node_def, stateful, inputs)


def _is_looked_into(kind: str) -> bool:
    datasets = _CACHES.search(kind) or _SEEDED_DATASETS.search(kind)
    return kind in PYTHON or kind in HIDDEN_DRAWS or datasets is not None


def _operation(node: Any, stateful: bool, inputs: list[Any]) -> Operation:
    token = node.attr["token"].s.decode() if node.op in PYTHON else ""
    size = 0
    if node.op == "Const":
        size = node.attr["value"].tensor.ByteSize()
    in_file = bool(_CACHES.search(node.op)) and not _is_empty_string(inputs)
    return Operation(node.op, stateful, token, size, in_file, _is_unseeded(node, inputs))


def _is_unseeded(node: Any, inputs: list[Any]) -> bool:
    if node.op in HIDDEN_DRAWS:
        return not (node.attr["seed"].i or node.attr["seed2"].i)
    if not _SEEDED_DATASETS.search(node.op):
        return False
    first = 0 if node.op.startswith("Random") else 2
    return all(map(_is_zero, inputs[first : first + 2]))


def _is_zero(node: Any) -> bool:
    import tensorflow as tf

    if node is None or node.op != "Const":
        return False
    return not tf.make_ndarray(node.attr["value"].tensor).any()


def _is_empty_string(inputs: list[Any]) -> bool:
    """Whether the second input, the file of a cache, is the empty string."""
    node = inputs[1] if len(inputs) > 1 else None
    return (
        node is not None
        and node.op == "Const"
        and not any(node.attr["value"].tensor.string_val)
        and not node.attr["value"].tensor.tensor_content
    )


def _item_bytes(dtype: Any) -> int:
    return max(int(getattr(dtype, "size", 0) or 0), 1)
