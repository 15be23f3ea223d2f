"""What a step on paper holds: buffers, and the values that point to them."""

from dataclasses import dataclass, field
from typing import Literal

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.sizes import Size

Category = Literal["weights", "optimizer", "gradients", "activations", "workspace", "input"]


@dataclass(slots=True, eq=False)
class Buffer:
    """A piece of GPU memory.

    Args:
        maker: The operation that allocated it; None for variables and inputs.
        references: How many values point to it.
        is_gradient: Whether it is the gradient of a variable.
    """

    size: Size
    category: Category
    maker: Node | None = None
    name: str = ""
    references: int = 0
    is_gradient: bool = False


@dataclass(slots=True, eq=False)
class Items:
    """A TensorList: its last buffer, and the list before that was pushed."""

    last: Buffer | None = None
    before: "Items | None" = field(default=None, repr=False)
    references: int = 0


@dataclass(slots=True)
class Value:
    """What goes along an edge of the graph.

    Args:
        buffer: None for what lies in host memory.
        items: Of a TensorList.
        number: The value itself where it is a number that decides over loops.
        dead: Whether it comes from a branch that is not taken.
        handle: The variable, for a resource.
    """

    buffer: Buffer | None = None
    items: Items | None = None
    number: int | None = None
    dead: bool = False
    handle: "Variable | None" = None


ALIVE, DEAD = Value(), Value(dead=True)
"""What comes along where nothing does: in place of a value that stands for no memory."""


@dataclass(slots=True, eq=False)
class Variable:
    """A variable of the model or the optimizer, with the buffer that it has now."""

    name: str
    buffer: Buffer


Event = tuple[Buffer, bool, Node | None]
"""A buffer, whether it is allocated or freed, and the operation that runs."""


@dataclass(slots=True)
class Ledger:
    """Counts references, and writes down what is allocated and freed."""

    events: list[Event] = field(default_factory=list)
    running: Node | None = None

    def allocate(self, size: Size, category: Category) -> Buffer:
        """A buffer that nothing points to yet."""
        buffer = Buffer(size, category, self.running)
        self.events.append((buffer, True, self.running))
        return buffer

    def hold(self, value: Value) -> None:
        """One more input waits with this value."""
        if value.buffer is not None:
            value.buffer.references += 1
        if value.items is not None:
            value.items.references += 1

    def release(self, value: Value) -> None:
        """One less; what nothing points to any more is freed."""
        if value.buffer is not None:
            self.drop(value.buffer)
        if value.items is not None:
            self._drop_items(value.items)

    def drop(self, buffer: Buffer) -> None:
        """One reference less to this buffer."""
        buffer.references -= 1
        self.sweep(buffer)

    def sweep(self, buffer: Buffer) -> None:
        """Free it if nothing points to it."""
        if buffer.references == 0:
            buffer.references = -1
            self.events.append((buffer, False, self.running))

    def push_item(self, before: Items | None, last: Buffer | None) -> Items:
        """The list with one more element."""
        if last is not None:
            last.references += 1
        if before is not None:
            before.references += 1
        return Items(last, before)

    def _drop_items(self, items: Items) -> None:
        current: Items | None = items
        while current is not None:
            current.references -= 1
            if current.references > 0:
                return
            if current.last is not None:
                self.drop(current.last)
            current = current.before
