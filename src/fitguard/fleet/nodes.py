"""The nodes of the cluster as they come and go, and the cards of those that answered."""

import time
from typing import Any

from fitguard.fleet.holding import CardKey
from fitguard.fleet.inspecting import NodeCard, NodeFacts, inspect_node
from fitguard.schema.fleet import FleetCard

_ANSWER_SECONDS = 60.0


class Nodes:
    """Who is there. Nodes without a GPU in Ray's books are left alone.

    Args:
        storage: That all nodes must see.
        marker: A file in it.
    """

    def __init__(self, storage: str, marker: str) -> None:
        self._storage = storage
        self._marker = marker
        self._asked: dict[str, tuple[Any, float, int]] = {}
        self._known: dict[str, tuple[NodeCard, ...]] = {}
        self._hosts: dict[str, str] = {}
        self._silent: dict[str, str] = {}

    @property
    def are_asked(self) -> bool:
        """Whether some have not answered yet."""
        return bool(self._asked)

    def look(self) -> tuple[list[str], list[str], list[str]]:
        """Ask new nodes, and hear those that answer: who is new, who is gone, what to tell."""
        import ray

        alive = {
            node["NodeID"]: node
            for node in ray.nodes()
            if node["Alive"] and node["Resources"].get("GPU", 0) >= 1
        }
        gone = [node for node in self._known if node not in alive]
        for node in gone:
            del self._known[node]
        for node in [*self._asked, *self._silent]:
            if node not in alive:
                self._asked.pop(node, None)
                self._silent.pop(node, None)
        for number, node in alive.items():
            if number not in self._asked and number not in self._known | self._silent:
                self._hosts[number] = node["NodeManagerHostname"]
                self._asked[number] = (self._ask(number), time.monotonic(), int(node["Resources"]["GPU"]))
        came, told = [], []
        for number, (answer, since, gpus) in list(self._asked.items()):
            ready, _ = ray.wait([answer], timeout=0)
            if not ready and time.monotonic() - since < _ANSWER_SECONDS:
                continue
            del self._asked[number]
            problem = self._hear(number, answer if ready else None, gpus)
            if problem:
                self._silent[number] = problem
                told.append(f"{self._hosts[number]} is left out: {problem}.")
            else:
                came.append(number)
        return came, gone, told

    def find_card(self, key: CardKey) -> NodeCard:
        """What is known of a card."""
        return next(card for card in self._known[key.node] if card.index == key.index)

    def list_cards(self) -> list[tuple[CardKey, FleetCard]]:
        """All cards of all nodes that are there."""
        return [
            (
                CardKey(node, card.index),
                FleetCard(
                    node=node,
                    host=self._hosts[node],
                    index=card.index,
                    name=card.name,
                    memory_bytes=card.memory_bytes,
                    left_out=card.problem,
                ),
            )
            for node, cards in self._known.items()
            for card in cards
        ]

    def _ask(self, node: str) -> Any:
        import ray

        return (
            ray.remote(inspect_node)
            .options(num_cpus=0, max_retries=0, label_selector={"ray.io/node-id": node})
            .remote(self._storage, self._marker)
        )

    def _hear(self, node: str, answer: Any, gpus: int) -> str:
        import ray

        if answer is None:
            return f"it did not answer for {_ANSWER_SECONDS:.0f} seconds"
        try:
            facts: NodeFacts = ray.get(answer, timeout=1)
        except ray.exceptions.RayError as error:
            return f"it could not be looked at: {str(error).strip().splitlines()[-1]}"
        if facts.problem:
            return facts.problem
        cards = facts.cards[:gpus]
        if not cards:
            return f"Ray counts {gpus} GPUs there, but NVML shows none"
        self._known[node] = cards
        return ""
