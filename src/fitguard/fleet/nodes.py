"""The nodes of the cluster as they come and go, and the cards of those that answered."""

import time
from typing import Any, NamedTuple

from fitguard.fleet.inspecting import NodeCard, NodeFacts, inspect_node
from fitguard.fleet.storage.opening import MarkedStorage
from fitguard.schema.fleet import FleetCard
from fitguard.words import count, duration

_ANSWER_SECONDS = 60.0
_AGAIN_SECONDS = 20.0
"""Until a node that was left out is asked again: a disk that is away may come back."""
_FIRST_SECONDS = 120.0
"""For the first node, where nobody said how many will come."""
_ALL_SECONDS = 600.0


class Change(NamedTuple):
    """What is new since the last look.

    Args:
        cards: Of nodes that came: for the fleet, and as the node told them.
        gone: Numbers of nodes that went.
        told: What the user should know, also at the end.
        passing: What is true for now only.
    """

    cards: tuple[tuple[FleetCard, NodeCard], ...]
    gone: tuple[str, ...]
    told: tuple[str, ...]
    passing: tuple[str, ...] = ()


class _Asked(NamedTuple):
    """A node that was asked.

    Args:
        gpus: How many Ray counts there.
    """

    promise: Any
    since: float
    gpus: int
    host: str


class _LeftOut(NamedTuple):
    """A node that nothing starts on for now."""

    since: float
    why: str


class Awaiting:
    """Nodes that come later than the head, as they do with Slurm, Kubernetes and autoscalers.

    Until then nothing is refused for want of a card, and nothing is planned for cards too small.
    """

    def __init__(self, expected: int | None) -> None:
        self._expected = expected or 1
        self._longest_seconds = _ALL_SECONDS if expected else _FIRST_SECONDS
        self._since: float | None = None
        self.goes_on = True

    def look(self, there: int, now: float) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What is to be said where so many nodes with cards are there: now, and also at the end."""
        self.goes_on = self.goes_on and there < self._expected
        if not self.goes_on:
            return (), ()
        nodes = f"{there} of {count(self._expected, 'node')} with cards"
        if self._since is None:
            self._since = now
            return (f"it waits for nodes: {nodes} so far.",), ()
        if now - self._since < self._longest_seconds:
            return (), ()
        self.goes_on = False
        return (), (f"{nodes} came within {duration(self._longest_seconds)}: it goes on so.",)


class Nodes:
    """Who is there. Nodes without a GPU in Ray's books are left alone.

    Args:
        storage: That all nodes must see.
        expected: How many will come; None where the user did not say.
    """

    def __init__(self, storage: MarkedStorage, expected: int | None = None) -> None:
        self._storage = storage
        self._awaiting = Awaiting(expected)
        self._asked: dict[str, _Asked] = {}
        self._known: set[str] = set()
        self._left_out: dict[str, _LeftOut] = {}

    @property
    def are_asked(self) -> bool:
        """Whether some have not answered yet, or have not come yet."""
        return bool(self._asked) or self._awaiting.goes_on

    def look(self) -> Change:
        """Ask new nodes, and hear those that answer."""
        import ray

        alive = {
            node["NodeID"]: node
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("GPU", 0) >= 1
        }
        gone = tuple(node for node in (*self._known, *self._left_out) if node not in alive)
        for node in (*gone, *(node for node in self._asked if node not in alive)):
            self._known.discard(node)
            self._left_out.pop(node, None)
            self._asked.pop(node, None)
        for number, node in alive.items():
            if number not in self._asked and number not in self._known and self._is_due(number):
                gpus = int(node["Resources"]["GPU"])
                host = node["NodeManagerHostname"]
                self._asked[number] = _Asked(self._ask(number), time.monotonic(), gpus, host)
        told: list[str] = []
        cards: list[tuple[FleetCard, NodeCard]] = []
        for number, asked in list(self._asked.items()):
            answer = self._hear(asked)
            if answer is None:
                continue
            del self._asked[number]
            before = self._left_out.pop(number, None)
            if isinstance(answer, str):
                self._left_out[number] = _LeftOut(time.monotonic(), answer)
                if before is None or before.why != answer:
                    told.append(f"{asked.host} is left out: {answer}.")
            else:
                self._known.add(number)
                if before is not None:
                    told.append(f"{asked.host} is used again.")
                cards += [(_describe(number, asked.host, card), card) for card in answer]
        passing, lasting = self._awaiting.look(len(alive), time.monotonic())
        return Change(tuple(cards), gone, (*told, *lasting), passing)

    def leave_out(self, node: str, why: str) -> None:
        """Use a node again only when it has answered that all is well there."""
        self._known.discard(node)
        self._left_out.setdefault(node, _LeftOut(time.monotonic(), why))

    def _is_due(self, node: str) -> bool:
        """Whether it is new, or was left out some time ago."""
        left_out = self._left_out.get(node)
        return left_out is None or time.monotonic() - left_out.since > _AGAIN_SECONDS

    def _ask(self, node: str) -> Any:
        import ray

        return (
            ray.remote(inspect_node)
            .options(num_cpus=0, max_retries=0, label_selector={"ray.io/node-id": node})
            .remote(self._storage)
        )

    def _hear(self, asked: "_Asked") -> tuple[NodeCard, ...] | str | None:
        """Its cards, or what is wrong with it; None where it has not answered yet."""
        import ray

        if not ray.wait([asked.promise], timeout=0)[0]:
            late = time.monotonic() - asked.since > _ANSWER_SECONDS
            return f"it did not answer for {_ANSWER_SECONDS:.0f} seconds" if late else None
        try:
            facts: NodeFacts = ray.get(asked.promise)
        except ray.exceptions.RayError as error:
            return f"it could not be looked at: {str(error).strip().splitlines()[-1]}"
        if not facts.problem and not facts.cards:
            return f"Ray counts {count(asked.gpus, 'GPU')} there, but NVML shows none"
        return facts.problem or facts.cards[: asked.gpus]


def _describe(node: str, host: str, card: NodeCard) -> FleetCard:
    return FleetCard(
        node=node,
        host=host,
        index=card.index,
        name=card.name,
        memory_bytes=card.memory_bytes,
        left_out=card.problem,
    )
