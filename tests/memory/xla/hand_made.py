"""Graphs written by hand, one operation after the other."""

from fitguard.memory.xla.graph import Graph, Operation, Value

F32, PER_SAMPLE = 11, (0, 1)


class HandMade:
    """Adds operations to a graph; each array has `width` floats for each sample."""

    def __init__(self) -> None:
        self.graph = Graph()

    def parameter(self, width: int) -> int:
        value = self._value(width, None)
        self.graph.parameters.append(value)
        return value

    def constant(self, *, is_zero: bool) -> int:
        value = self.graph.add_value(Value.of((), F32, len(self.graph.operations)))
        self.graph.operations.append(Operation("constant", (), (value,), is_zero=is_zero))
        return value

    def add(self, opcode: str, *operands: int, width: int = 1, scope: str = "") -> int:
        value = self._value(width, len(self.graph.operations))
        self.graph.operations.append(Operation(opcode, operands, (value,), scope))
        return value

    def _value(self, width: int, producer: int | None) -> int:
        return self.graph.add_value(Value.of((PER_SAMPLE, (width,)), F32, producer))
