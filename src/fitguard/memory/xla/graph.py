"""The step as a graph of operations and values whose sizes depend on the batch size."""

from dataclasses import dataclass, field

from fitguard.memory.xla.sizes import Polynomial, product

PRED, S32, F16, BF16, TUPLE, TOKEN = 1, 4, 10, 16, 13, 17
ITEM_BYTES = {
    PRED: 1,
    2: 1,
    3: 2,
    S32: 4,
    5: 8,
    6: 1,
    7: 2,
    8: 4,
    9: 8,
    F16: 2,
    11: 4,
    12: 8,
    15: 8,
}
ITEM_BYTES |= {BF16: 2, 18: 16, TOKEN: 0}
"""By the number of the type in xla_data.proto; types that are not here take one byte."""


@dataclass(frozen=True, slots=True)
class Value:
    """One array.

    Args:
        dims: Its dimensions.
        dtype: The number of its type in xla_data.proto.
        bytes: Of all of it.
        producer: The index of the operation that makes it; None for a parameter.
    """

    dims: tuple[Polynomial, ...]
    dtype: int
    bytes: Polynomial
    producer: int | None

    @classmethod
    def of(cls, dims: tuple[Polynomial, ...], dtype: int, producer: int | None) -> "Value":
        return cls(dims, dtype, product([(ITEM_BYTES.get(dtype, 1),), *dims]), producer)


@dataclass(frozen=True, slots=True)
class Operation:
    """One HLO instruction.

    Args:
        operands: Values, by index in the graph.
        results: Values, by index in the graph.
        scope: TensorFlow's name for it: `gradient_tape/model/dense/MatMul`.
        bodies: What a loop or a branch runs.
        details: Whatever else makes it differ from another operation on the same operands.
        window: Elements of the kernel of a convolution or of a reduction's window.
        is_zero: A constant without any bit set.
    """

    opcode: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    scope: str = ""
    bodies: tuple["Graph", ...] = ()
    details: bytes = b""
    window: tuple[int, ...] = ()
    groups: int = 1
    is_zero: bool = False


@dataclass(slots=True)
class Graph:
    """Operations in an order in which each stands behind what it reads.

    Args:
        parameters: The values that come from outside, in order.
        outputs: The values that are given back, in order.
        aliases: Output to the parameter whose memory it overwrites, both by position.
    """

    values: list[Value] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    parameters: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)
    aliases: dict[int, int] = field(default_factory=dict)

    def add_value(self, value: Value) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def find_needed_operations(self) -> list[int]:
        """The operations that an output depends on, in order."""
        wanted = set(self.outputs)
        kept = []
        for index in range(len(self.operations) - 1, -1, -1):
            operation = self.operations[index]
            if wanted.intersection(operation.results):
                kept.append(index)
                wanted.update(operation.operands)
        return kept[::-1]
