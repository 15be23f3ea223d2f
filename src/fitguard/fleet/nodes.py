"""The nodes of the cluster as they come and go, and the cards of those that answered."""

import time
from typing import Any, NamedTuple

from fitguard.fleet.inspecting import NodeCard, NodeFacts, inspect_node
from fitguard.schema.fleet import FleetCard
from fitguard.words import count

_ANSWER_SECONDS = 60.0


class Change(NamedTuple):
    """What is new since the last look.

    Args:
        cards: Of nodes that came: for the fleet, and as the node told them.
        gone: Numbers of nodes that went.
        told: What the user should know.
    """

    cards: tuple[tuple[FleetCard, NodeCard], ...]
    gone: tuple[str, ...]
    told: tuple[str, ...]


class _Asked(NamedTuple):
    """A node that was asked.

    Args:
        gpus: How many Ray counts there.
    """

    promise: Any
    since: float
    gpus: int
    host: str


class Nodes:
    """Who is there. Nodes without a GPU in Ray's books are left alone.

    Args:
        storage: That all nodes must see.
        marker: A file in it.
    """

    def __init__(self, storage: str, marker: str) -> None:
        self._storage = storage
        self._marker = marker
        self._asked: dict[str, _Asked] = {}
        self._known: set[str] = set()
        self._silent: set[str] = set()

    @property
    def are_asked(self) -> bool:
        """Whether some have not answered yet."""
        return bool(self._asked)

    def look(self) -> Change:
        """Ask new nodes, and hear those that answer."""
        import ray

        alive = {
            node["NodeID"]: node
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("GPU", 0) >= 1
        }
        gone = tuple(node for node in self._known if node not in alive)
        self._known -= set(gone)
        for node in [*self._asked, *self._silent]:
            if node not in alive:
                self._asked.pop(node, None)
                self._silent.discard(node)
        for number, node in alive.items():
            if number not in self._asked and number not in self._known | self._silent:
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
            if isinstance(answer, str):
                self._silent.add(number)
                told.append(f"{asked.host} is left out: {answer}.")
            else:
                self._known.add(number)
                cards += [(_describe(number, asked.host, card), card) for card in answer]
        return Change(tuple(cards), gone, tuple(told))

    def _ask(self, node: str) -> Any:
        import ray

        return (
            ray.remote(inspect_node)
            .options(num_cpus=0, max_retries=0, label_selector={"ray.io/node-id": node})
            .remote(self._storage, self._marker)
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
