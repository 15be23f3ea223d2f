"""The nodes of the cluster as they come and go, and the cards of those that answered."""

import time
from collections.abc import Iterable
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
_CROWDED_SHARE = 0.05
"""Of a card that others use: what has just been killed may leave it within a minute."""
_MEASURE_AGAIN_SECONDS = 40.0


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
        is_late: It has been left out, and is used as soon as it answers after all.
    """

    promise: Any
    since: float
    gpus: int
    host: str
    is_late: bool = False


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
        self._crowded: dict[str, float] = {}
        self._measured: set[str] = set()

    @property
    def are_asked(self) -> bool:
        """Whether some have not answered yet, or have not come yet."""
        return self._awaiting.goes_on or not all(one.is_late for one in self._asked.values())

    @property
    def are_measured_again(self) -> bool:
        """Whether others had memory of a card, which may be free in a minute."""
        return bool(self._crowded)

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
            self._forget(node)
        for number, node in alive.items():
            if number not in self._asked and self._is_due(number):
                gpus = int(node["Resources"]["GPU"])
                host = node["NodeManagerHostname"]
                self._asked[number] = _Asked(self._ask(number), time.monotonic(), gpus, host)
        told: list[str] = []
        cards: list[tuple[FleetCard, NodeCard]] = []
        for number, asked in list(self._asked.items()):
            answer = self._take_answer(number, asked)
            before = self._left_out.get(number)
            if isinstance(answer, str) and number in self._known:
                self._crowded.pop(number, None)  # what it had told still counts
            elif isinstance(answer, str):
                self._left_out[number] = _LeftOut(time.monotonic(), answer)
                if before is None or before.why != answer:
                    told.append(f"{asked.host} is left out: {answer}.")
            elif answer is not None:
                self._note_known(number, answer)
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
        """Whether it is new, was left out some time ago, or is to be measured again."""
        now = time.monotonic()
        if node in self._known:
            return now > self._crowded.get(node, now)
        left_out = self._left_out.get(node)
        return left_out is None or now - left_out.since > _AGAIN_SECONDS

    def _take_answer(self, number: str, asked: _Asked) -> tuple[NodeCard, ...] | str | None:
        """Its cards, or what is wrong with it; None where nothing is new."""
        answer = self._hear(asked)
        if answer is not None:
            del self._asked[number]
        elif not asked.is_late and time.monotonic() - asked.since > _ANSWER_SECONDS:
            # Not asked anew: one task that hangs there is enough.
            self._asked[number] = asked._replace(is_late=True)
            return f"it did not answer for {_ANSWER_SECONDS:.0f} seconds"
        return answer

    def _note_known(self, node: str, cards: Iterable[NodeCard]) -> None:
        self._known.add(node)
        self._left_out.pop(node, None)
        self._crowded.pop(node, None)
        if node not in self._measured and any(
            card.used_bytes > card.memory_bytes * _CROWDED_SHARE for card in cards
        ):
            self._crowded[node] = time.monotonic() + _MEASURE_AGAIN_SECONDS
        self._measured.add(node)

    def _forget(self, node: str) -> None:
        self._known.discard(node)
        self._left_out.pop(node, None)
        self._asked.pop(node, None)
        self._crowded.pop(node, None)

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
            return None
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
    )
