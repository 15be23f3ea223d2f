"""Runs a graph on paper, in the order in which TensorFlow's executor runs it on a GPU.

On a GPU one thread runs all operations. An operation that has all its inputs goes to the end of a
queue; the thread takes the first of the queue, again and again:

    while the queue holds an operation:
        take it; allocate temporary memory and outputs; launch the kernel
        release its inputs: what nobody else waits for is freed at once
        hand its outputs on; operations that have all inputs now join the queue

Loops run in frames: `Enter` opens one, `NextIteration` hands a value to the next round, `Exit`
leaves; so many rounds may be under way at once.
"""

from collections import Counter, defaultdict, deque
from dataclasses import dataclass, field

from fitguard.memory.collecting import without_collecting
from fitguard.memory.graph.buffers import ALIVE, DEAD, Ledger, Value
from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.operations import Operations
from fitguard.memory.graph.tracing import MARK

MOST_RUNS = 400_000
"""A step of more operations than these is cut: a loop that does not end on paper."""

Tag = tuple["Round", ...]
Ready = tuple[Node, Tag, list[Value], bool]
"""An operation that has all its inputs: where it runs, what it gets, and whether that is dead."""


@dataclass(slots=True, eq=False)
class Round:
    """One iteration of a loop.

    Args:
        under_way: Operations that are in the queue, and loops inside that run.
        pending: Operations that wait for inputs.
    """

    frame: "Frame"
    number: int
    under_way: int = 0
    pending: dict[Node, "Pending"] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Frame:
    """A loop that runs.

    Args:
        missing: Values that have not entered yet.
        constants: Values that every round gets.
        waiting: Values for rounds that may not start yet.
    """

    name: str
    parent: Tag
    parallel: int
    missing: int
    rounds: dict[int, Round] = field(default_factory=dict)
    first: int = 0
    constants: list[tuple[Node, Value]] = field(default_factory=list)
    waiting: list[tuple[Node, Value, int]] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Pending:
    """An operation that waits for inputs.

    Args:
        dead: Whether one of them came from a branch that is not taken.
    """

    missing: int
    values: list[Value]
    dead: bool = False


class Execution:
    """One run of a graph.

    Attributes:
        ran: The operations, in the order in which they ran.
    """

    def __init__(self, nodes: list[Node], ledger: Ledger, operations: Operations) -> None:
        self.nodes, self.ledger, self.operations = nodes, ledger, operations
        self.queue: deque[Ready] = deque()
        self.pending: dict[Node, Pending] = {}
        self.frames: dict[tuple[str, Tag], Frame] = {}
        with without_collecting():
            self.consumers, self.followers = _edges(nodes)
        self.entries = Counter(
            node.attributes["frame_name"].s.decode() for node in nodes if node.op == "Enter"
        )
        self.marks = {node for node in nodes if MARK in node.name}
        self.complete = True
        self.ran: list[Node] = []

    def run(self) -> None:
        """Until the queue is empty."""
        with without_collecting():
            self._run()

    def _run(self) -> None:
        for node in self.nodes:
            if not node.inputs and not node.controls:
                self._enqueue(node, (), [], dead=False)
        runs = 0
        while self.queue:
            self._process(*self.take())
            runs += 1
            if runs > MOST_RUNS:
                self.complete = False
                return

    def take(self) -> Ready:
        """What of the queue runs next."""
        return self.queue.popleft()

    def enqueue(self, ready: Ready) -> None:
        """It has all its inputs."""
        self.queue.append(ready)

    def _process(self, node: Node, tag: Tag, values: list[Value], dead: bool) -> None:
        ledger = self.ledger
        ledger.running = node
        self.ran.append(node)
        if node in self.marks:
            _mark_gradients(values)
        outputs = [DEAD] * max(len(node.sizes), 1) if dead else self.operations.run(node, values)
        for output in outputs:
            ledger.hold(output)  # until it is handed on
        for value in values:
            ledger.release(value)
        self._hand_on(node, tag, outputs, dead)
        for output in outputs:
            ledger.release(output)
        if tag:
            self._finish(tag)

    def _hand_on(self, node: Node, tag: Tag, outputs: list[Value], dead: bool) -> None:
        if node.op == "Enter":
            self._enter(node, tag, outputs[0])
            return
        if node.op == "NextIteration":
            if not dead:
                self._next(node, tag[-1].frame, outputs[0], tag[-1].number + 1)
            return
        if node.op == "Exit":
            if dead:
                return
            tag = tag[:-1]
        self._deliver(node, tag, outputs, dead)

    def _deliver(self, node: Node, tag: Tag, outputs: list[Value], dead: bool) -> None:
        nothing = DEAD if dead else ALIVE
        for index, consumer, slot in self.consumers.get(node, ()):
            value = outputs[index] if index < len(outputs) else nothing
            self._arrive(consumer, tag, slot, value)
        for follower in self.followers.get(node, ()):
            self._arrive(follower, tag, None, nothing)

    def _arrive(self, node: Node, tag: Tag, slot: int | None, value: Value) -> None:
        waiting = tag[-1].pending if tag else self.pending
        pending = waiting.get(node)
        if pending is None:
            number = len(node.inputs)
            pending = waiting[node] = Pending(number + len(node.controls), [ALIVE] * number)
        if pending.missing < 0:  # a Merge that has run already
            return
        pending.missing -= 1
        if node.op == "Merge":
            self._arrive_at_merge(node, tag, slot, value, pending)
            return
        if slot is not None:
            self.ledger.hold(value)
            pending.values[slot] = value
        if value.dead:
            pending.dead = True
        if pending.missing == 0:
            del waiting[node]
            self._enqueue(node, tag, pending.values, pending.dead)

    def _arrive_at_merge(
        self, node: Node, tag: Tag, slot: int | None, value: Value, pending: Pending
    ) -> None:
        """A Merge runs with the first value that is alive, or when all are dead."""
        if slot is not None and (not value.dead or pending.missing == 0):
            self.ledger.hold(value)
            pending.missing = -1
            self._enqueue(node, tag, [value], value.dead)

    def _enqueue(self, node: Node, tag: Tag, values: list[Value], dead: bool) -> None:
        if tag:
            tag[-1].under_way += 1
        self.enqueue((node, tag, values, dead))

    def _enter(self, node: Node, tag: Tag, value: Value) -> None:
        name = node.attributes["frame_name"].s.decode()
        frame = self.frames.get((name, tag))
        if frame is None:
            parallel = max(int(node.attributes["parallel_iterations"].i), 1)
            frame = Frame(name, tag, parallel, self.entries[name])
            frame.rounds[0] = Round(frame, 0)
            self.frames[name, tag] = frame
            if tag:
                tag[-1].under_way += 1
        frame.missing -= 1
        if not node.attributes["is_constant"].b:
            self._deliver(node, (*tag, frame.rounds[0]), [value], value.dead)
            return
        self.ledger.hold(value)
        frame.constants.append((node, value))
        for number in sorted(frame.rounds):
            self._deliver(node, (*tag, frame.rounds[number]), [value], value.dead)

    def _next(self, node: Node, frame: Frame, value: Value, number: int) -> None:
        if number not in frame.rounds:
            if number - frame.first >= frame.parallel:
                self.ledger.hold(value)
                frame.waiting.append((node, value, number))
                return
            self._start(frame, number)
        self._deliver(node, (*frame.parent, frame.rounds[number]), [value], value.dead)

    def _start(self, frame: Frame, number: int) -> None:
        frame.rounds[number] = Round(frame, number)
        for node, value in list(frame.constants):
            self._deliver(node, (*frame.parent, frame.rounds[number]), [value], value.dead)

    def _finish(self, tag: Tag) -> None:
        """Rounds that have nothing to do any more make room for others."""
        tag[-1].under_way -= 1
        frame = tag[-1].frame
        while frame.missing == 0 and _is_idle(frame):
            if frame.first + 1 not in frame.rounds and not frame.waiting:
                self._leave(frame)
                break
            del frame.rounds[frame.first]
            frame.first += 1
            waiting, frame.waiting = frame.waiting, []
            for node, value, number in waiting:
                self._next(node, frame, value, number)
                self.ledger.release(value)

    def _leave(self, frame: Frame) -> None:
        """The loop is over; the round of another loop that it was in may be over as well."""
        del self.frames[frame.name, frame.parent]
        for _, value in frame.constants:
            self.ledger.release(value)
        if frame.parent:
            self._finish(frame.parent)


def _mark_gradients(given: list[Value]) -> None:
    """What the update of a variable reads, and the backward pass made, is its gradient."""
    for value in given:
        made_by = value.buffer.maker if value.buffer else None
        if value.buffer and made_by is not None and MARK not in made_by.name:
            value.buffer.is_gradient = True


def _is_idle(frame: Frame) -> bool:
    """Whether the oldest round of a loop has nothing in the queue."""
    return frame.first in frame.rounds and frame.rounds[frame.first].under_way == 0


def _edges(
    nodes: list[Node],
) -> tuple[dict[Node, list[tuple[int, Node, int]]], dict[Node, list[Node]]]:
    """Who gets the outputs of a node: which output, who, as which input; and who follows it."""
    consumers: dict[Node, list[tuple[int, Node, int]]] = defaultdict(list)
    followers: dict[Node, list[Node]] = defaultdict(list)
    for node in nodes:
        for slot, (producer, index) in enumerate(node.inputs):
            consumers[producer].append((index, node, slot))
        for before in node.controls:
            followers[before].append(node)
    return consumers, followers
