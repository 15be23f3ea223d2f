"""All cards of the fleet: who has them, which are left out, which are probed."""

import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any

import msgspec

from fitguard.fleet.holding import Holder
from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.nodes import Nodes
from fitguard.fleet.packing import Packer
from fitguard.fleet.probing import ask_probe
from fitguard.fleet.requests import CardId, id_of
from fitguard.schema.fleet import FleetCard

_LOOK_SECONDS = 1.0
_BUSY_SECONDS = 30.0
_GONE = "its node is gone"
_BUSY = "others on the cluster use it"


class FleetCards:
    """What the packer knows of cards comes from here.

    Args:
        nodes: Of the cluster.
        packer: Is told of every card that comes, goes, or is left out.
        tell: Says one line to the user.
    """

    def __init__(self, nodes: Nodes, packer: Packer, tell: Any) -> None:
        self.holder = Holder(self.find)
        self.notes: list[str] = []
        self.was_larger = 0
        """Memory of the largest card that is gone; it may come back."""
        self._nodes = nodes
        self._packer = packer
        self._tell = tell
        self._cards: dict[CardId, FleetCard] = {}
        self._found: dict[CardId, NodeCard] = {}
        self._busy_until: dict[CardId, float] = {}
        self._probed: dict[CardId, Any] = {}
        self._looked = 0.0

    @property
    def are_known(self) -> bool:
        """Whether all nodes have answered, or have been given up."""
        return bool(self._looked) and not self._nodes.are_asked

    @property
    def have_gpus(self) -> bool:
        """Whether there is a real GPU."""
        return any(not card.is_declared for card in self._found.values())

    def look(self) -> tuple[str, ...]:
        """See which nodes came and went; the numbers of those that went."""
        now = time.monotonic()
        if now - self._looked < _LOOK_SECONDS:
            return ()
        self._looked = now
        change = self._nodes.look()
        for text in (*change.passing, *change.told):
            self._tell(text)
        self.notes += change.told
        for card, found in change.cards:
            self._found[id_of(card)] = found
            self._set(card)
        for key in [key for key in self._cards if key[0] in change.gone]:
            self.was_larger = max(self.was_larger, self._cards[key].memory_bytes)
            self.holder.drop(key)
            self._leave_out(key, _GONE)
        for key in [key for key, until in self._busy_until.items() if until < now]:
            del self._busy_until[key]
            self._leave_out(key, "", instead_of=_BUSY)
        self._hear_probes()
        return change.gone

    def find(self, key: CardId) -> NodeCard:
        """What its node told of a card."""
        return self._found[key]

    def find_largest(self, patterns: Sequence[str]) -> int:
        """Memory of the largest card with such a name; 0 where there is none."""
        lower = [pattern.lower() for pattern in patterns]
        return max(
            (
                card.memory_bytes
                for card in self._cards.values()
                if not lower or any(fnmatchcase(card.name.lower(), one) for one in lower)
            ),
            default=0,
        )

    def name(self, key: CardId) -> str:
        """As people read it: `host/0`."""
        card = self._cards.get(key)
        return f"{card.host if card else key[0][:8]}/{key[1]}"

    def list_ids(self) -> tuple[CardId, ...]:
        """What all of them are called."""
        return tuple(self._cards)

    def describe(self) -> tuple[FleetCard, ...]:
        """All of them, and who is on them."""
        return tuple(
            msgspec.structs.replace(
                card,
                promised_bytes=self._packer.used_bytes(key),
                trainings=self._packer.list_tenants(key),
            )
            for key, card in self._cards.items()
        )

    def give(self, keys: Iterable[CardId]) -> None:
        """A training is off these cards."""
        for key in keys:
            self.holder.give(key)

    def set_busy(self, keys: Iterable[CardId]) -> None:
        """Ray did not give these cards: they are asked for again later."""
        for key in keys:
            self._busy_until[key] = time.monotonic() + _BUSY_SECONDS
            self._leave_out(key, _BUSY)

    def leave_node_out(self, node: str, why: str) -> None:
        """Start nothing on a node until it has answered again; what runs there goes on."""
        cards = [key for key in self._cards if key[0] == node]
        if any(not self._cards[key].left_out for key in cards):
            self._tell(f"nothing starts on {self._cards[cards[0]].host}: {why}.")
        self._nodes.leave_out(node, why)
        for key in cards:
            self._leave_out(key, why)

    def suspect(self, keys: Iterable[CardId], why: str) -> None:
        """Use these cards again only after they were probed."""
        for key in keys:
            if key in self._cards and not self._cards[key].left_out:
                self._leave_out(key, f"it is probed, because a training failed there: {why}")
                self._probed[key] = None

    def forget_empty(self) -> None:
        """Cards of nodes that are gone stay until nobody is on them any more."""
        for key, card in list(self._cards.items()):
            if card.left_out == _GONE and not self._packer.used_bytes(key):
                self._packer.remove_card(key)
                del self._cards[key]
                self._probed.pop(key, None)
                self._busy_until.pop(key, None)

    def _hear_probes(self) -> None:
        import ray

        for key, promise in list(self._probed.items()):
            if promise is None:
                # Only a card that nobody is on can be probed.
                if not self._packer.used_bytes(key) and self.holder.take(key):
                    self._probed[key] = ask_probe(self.holder.place(key, 1.0))
                continue
            if not ray.wait([promise], timeout=0)[0]:
                continue
            del self._probed[key]
            self.holder.give(key)
            try:
                problem = ray.get(promise)
            except ray.exceptions.RayError as error:
                problem = f"the probe was lost ({type(error).__name__})"
            self._leave_out(key, problem and f"it failed the probe: {problem}")
            said = f"is left out: {problem}" if problem else "is used again: the probe passed"
            self._tell(f"card {self.name(key)} {said}.")

    def _leave_out(self, key: CardId, why: str, instead_of: str | None = None) -> None:
        card = self._cards.get(key)
        if card is None or card.left_out == _GONE:
            return
        if instead_of in (None, card.left_out):
            self._set(msgspec.structs.replace(card, left_out=why))

    def _set(self, card: FleetCard) -> None:
        self._cards[id_of(card)] = card
        self._packer.add_card(card)
