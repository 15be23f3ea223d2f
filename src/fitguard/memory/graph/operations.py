"""What each operation does to buffers: allocate, share, write over, assign."""

from collections import Counter
from collections.abc import Callable

from fitguard.memory.graph import kernels
from fitguard.memory.graph.buffers import ALIVE, Buffer, Items, Ledger, Value, Variable
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.numbers import number_of, read_constant
from fitguard.memory.graph.sizes import Size

UNKNOWN_ROUNDS = 8


class Operations:
    """Runs single operations, with the variables that they read and write."""

    def __init__(self, ledger: Ledger, variables: dict[Node, Variable]) -> None:
        self.ledger, self.variables = ledger, variables
        self.given: dict[Node, Buffer] = {}
        self.rounds: Counter[Node] = Counter()

    def run(self, node: Node, values: list[Value]) -> list[Value]:
        """The outputs; temporary memory is allocated and freed meanwhile."""
        special = SPECIAL.get(node.op)
        if special:
            return special(self, node, values)
        if node in self.variables:
            return [Value(handle=self.variables[node])]
        if node in self.given:
            return [Value(buffer=self.given[node])]
        if node.op in kernels.VIEWS:
            return self._views(node, values)
        numbers = [value.number for value in values]
        if numbers.count(None) < len(numbers):
            number = number_of(node, numbers)
            if number is not None:
                return [Value(number=number)]
        return self._allocate_outputs(node, values)

    def _views(self, node: Node, values: list[Value]) -> list[Value]:
        if node.op in ("Switch", "_SwitchN"):
            return _select_branch(node, values[0], values[1].number)
        if node.op == "Merge":
            return [next(value for value in values if not value.dead), Value()]
        if node.op == "IdentityN":
            return values
        return values[:1] or [ALIVE]

    def _allocate_outputs(self, node: Node, values: list[Value]) -> list[Value]:
        outputs: list[Value] = []
        in_place = kernels.IN_PLACE.get(node.op)
        for index, size in enumerate(node.sizes):
            if not size.factor:
                outputs.append(ALIVE)
                continue
            buffer = find_reusable_buffer(values, size) if index == in_place else None
            outputs.append(Value(buffer or self.ledger.allocate(size, "activations")))
        self._use_temporary(node)
        return outputs or [ALIVE]

    def _use_temporary(self, node: Node) -> None:
        buffers = [self.ledger.allocate(size, "workspace") for size in kernels.temporary(node)]
        for buffer in buffers:
            self.ledger.sweep(buffer)

    def _read(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        handle = values[0].handle
        return [Value(buffer=handle.buffer if handle else None)]

    def _assign(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        """The variable takes the buffer of the value."""
        handle, new = values[0].handle, values[1].buffer
        if handle and new is not None and new is not handle.buffer:
            new.references += 1
            new.category, new.name = handle.buffer.category, handle.name
            old, handle.buffer = handle.buffer, new
            self.ledger.drop(old)
        return [Value()]

    def _update(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        """In place, unless somebody still reads the old value."""
        handle = values[0].handle
        if handle and handle.buffer.references > 1:
            new = self.ledger.allocate(handle.buffer.size, handle.buffer.category)
            new.name = handle.name
            new.references += 1
            old, handle.buffer = handle.buffer, new
            self.ledger.drop(old)
        return [Value()]

    def _const(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        number = read_constant(node)
        return [ALIVE if number is None else Value(number=number)]

    def _condition(self, node: Node, values: list[Value]) -> list[Value]:
        """Whether a loop goes on; one whose end cannot be told runs a few rounds."""
        if values[0].number is not None:
            return values[:1]
        self.rounds[node] += 1
        goes_on = self.rounds[node] % (UNKNOWN_ROUNDS + 1) != 0
        return [Value(number=int(goes_on))]

    def _push(self, node: Node, values: list[Value]) -> list[Value]:
        before, last = (
            (values[0].items, values[-1].buffer)
            if node.op == "TensorListPushBack"
            else (values[0].items, values[2].buffer)
        )
        return [Value(items=self.ledger.push_item(before, last))]

    def _pop(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        items = values[0].items
        if items is None:
            return [Value(), Value()]
        return [Value(items=items.before), Value(buffer=items.last)]

    def _get(self, node: Node, values: list[Value]) -> list[Value]:
        """Of a list that is read in some order: one of its elements stands for all."""
        items = values[0].items
        if items is None or items.last is None:
            return self._allocate_outputs(node, values)
        return [Value(buffer=items.last)]

    def _unstack(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        """The elements are copies; together they are as large as the whole."""
        buffer = values[0].buffer
        copy = self.ledger.allocate(buffer.size, "activations") if buffer else None
        return [Value(items=self.ledger.push_item(None, copy))]

    def _empty_list(self, node: Node, values: list[Value]) -> list[Value]:  # noqa: ARG002
        return [Value(items=Items())]


def find_reusable_buffer(values: list[Value], size: Size) -> Buffer | None:
    """An input of the same size that nobody else needs."""
    for value in values:
        buffer = value.buffer
        if buffer is not None and buffer.references == 1 and buffer.size == size:
            return buffer
    return None


def _select_branch(node: Node, value: Value, number: int | None) -> list[Value]:
    """The value where it goes on; the second branch where nothing tells which."""
    count = int(node.attributes["num_outs"].i) if node.op == "_SwitchN" else 2
    taken = 1 if number is None else int(number)
    taken = taken if 0 <= taken < count else count - 1
    return [value if index == taken else Value(dead=True) for index in range(count)]


SPECIAL: dict[str, Callable[[Operations, Node, list[Value]], list[Value]]] = {
    "ReadVariableOp": Operations._read,
    "AssignVariableOp": Operations._assign,
    "AssignAddVariableOp": Operations._update,
    "AssignSubVariableOp": Operations._update,
    "ResourceScatterAdd": Operations._update,
    "ResourceScatterSub": Operations._update,
    "Const": Operations._const,
    "LoopCond": Operations._condition,
    "TensorListPushBack": Operations._push,
    "TensorListSetItem": Operations._push,
    "TensorListPopBack": Operations._pop,
    "TensorListGetItem": Operations._get,
    "TensorListFromTensor": Operations._unstack,
    "EmptyTensorList": Operations._empty_list,
    "TensorListReserve": Operations._empty_list,
}
