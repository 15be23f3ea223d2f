"""All cards of the fleet: who has them, which are left out, which are probed."""

import time
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

import msgspec

from fitguard.fleet.holding import Holder
from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.nodes import Nodes
from fitguard.fleet.packing import Packer
from fitguard.fleet.probing import Probes
from fitguard.fleet.requests import CardId, id_of
from fitguard.schema.fleet import FleetCard

_LOOK_SECONDS = 1.0
_BUSY_SECONDS = 30.0
_Kind = Literal["gone", "sick", "blind", "busy"]
_KINDS: tuple[_Kind, ...] = ("gone", "sick", "blind", "busy")
"""Why a card may be left out; of several reasons, the first of these is told."""


class FleetCards:
    """What the packer knows of cards comes from here.

    Args:
        nodes: Of the cluster.
        packer: Is told of every card that comes, goes, or is left out.
        tell: Says one line to the user.
    """

    def __init__(self, nodes: Nodes, packer: Packer, tell: Any) -> None:
        self.holder = Holder(self.find, self._list_found)
        self.notes: list[str] = []
        self.was_larger = 0
        """Memory of the largest card that is gone; it may come back."""
        self._nodes = nodes
        self._packer = packer
        self._tell = tell
        self._cards: dict[CardId, FleetCard] = {}
        self._found: dict[CardId, NodeCard] = {}
        self._reasons: dict[CardId, dict[_Kind, str]] = {}
        self._busy_until: dict[CardId, float] = {}
        self._given_up: set[CardId] = set()
        self._probes = Probes(self.holder, lambda key: packer.used_bytes(key) > 0)
        self._looked = 0.0

    @property
    def are_known(self) -> bool:
        """Whether all nodes have answered, or have been given up."""
        return bool(self._looked) and not self._nodes.are_asked

    @property
    def are_settled(self) -> bool:
        """Whether no card can be larger than it was found."""
        return self.are_known and not self._nodes.are_measured_again

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
            self._take(card, found)
        for key in [key for key in self._cards if key[0] in change.gone]:
            self.was_larger = max(self.was_larger, self._cards[key].memory_bytes)
            self.holder.drop(key)
            self._leave_out(key, "gone", "its node is gone")
        for key in [key for key, until in self._busy_until.items() if until < now]:
            del self._busy_until[key]
            self._leave_out(key, "busy", "")
        self._hear_probes()
        return change.gone

    def find(self, key: CardId) -> NodeCard:
        """What its node told of a card."""
        return self._found[key]

    def explain_given_up(self, key: CardId) -> str:
        """Why a card will never be used again; empty where it may."""
        return f"{self.name(key)}: {self._cards[key].left_out}" if key in self._given_up else ""

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
            why = self.holder.explain_refusal(key)
            told = f"{self.name(key)} cannot be used: {why}."
            if why and told not in self.notes:
                self.notes.append(told)
                self._tell(told)
            self._leave_out(key, "busy", why or "others on the cluster use it")

    def leave_node_out(self, node: str, why: str) -> None:
        """Start nothing on a node until it has answered again; what runs there goes on."""
        cards = [key for key in self._cards if key[0] == node]
        if any(not self._cards[key].left_out for key in cards):
            self._tell(f"nothing starts on {self._cards[cards[0]].host}: {why}.")
        self._nodes.leave_out(node, why)
        for key in cards:
            self._leave_out(key, "blind", why)

    def suspect(self, keys: Iterable[CardId], why: str, python: str) -> None:
        """Use these cards again only after they were probed.

        Args:
            why: The cause of what failed there; empty where nobody knows it.
            python: That trained there; empty for the one of fitguard.
        """
        for key in keys:
            if key in self._cards and "sick" not in self._reasons[key]:
                failed = "it is probed, because a training failed there"
                self._leave_out(key, "sick", f"{failed}: {why}" if why else failed)
                self._probes.add(key, python)

    def forget_empty(self) -> None:
        """Cards of nodes that are gone stay until nobody is on them any more."""
        for key in list(self._cards):
            if "gone" in self._reasons[key] and not self._packer.used_bytes(key):
                self._packer.remove_card(key)
                del self._cards[key], self._reasons[key]
                self._probes.forget(key)
                self._busy_until.pop(key, None)
                self._given_up.discard(key)

    def _list_found(self, node: str) -> list[NodeCard]:
        return [found for key, found in self._found.items() if key[0] == node]

    def _take(self, card: FleetCard, found: NodeCard) -> None:
        """A card that is new, or that its node has told of again."""
        key = id_of(card)
        known = self._cards.get(key)
        if known is not None:
            # What our own trainings have of it is not taken from them: it only gets larger.
            card = msgspec.structs.replace(
                known, memory_bytes=max(known.memory_bytes, card.memory_bytes)
            )
        self._found[key] = msgspec.structs.replace(found, memory_bytes=card.memory_bytes)
        self._reasons.setdefault(key, {})
        self._set(card)
        self._leave_out(key, "blind", "")
        if found.problem:
            self._given_up.add(key)
            self._leave_out(key, "sick", found.problem)

    def _hear_probes(self) -> None:
        for key, problem, is_last in self._probes.look():
            if problem and is_last:
                self._given_up.add(key)
            self._leave_out(key, "sick", problem and f"it failed the probe: {problem}")
            said = f"is left out: {problem}" if problem else "is used again: the probe passed"
            self._tell(f"card {self.name(key)} {said}.")

    def _leave_out(self, key: CardId, kind: _Kind, why: str) -> None:
        """There is a reason of this kind; with an empty one, there is none any more."""
        if key not in self._cards:
            return  # its node went meanwhile
        reasons = self._reasons[key]
        if why:
            reasons[kind] = why
        else:
            reasons.pop(kind, None)
        first = next((reasons[one] for one in _KINDS if one in reasons), "")
        if self._cards[key].left_out != first:
            self._set(msgspec.structs.replace(self._cards[key], left_out=first))

    def _set(self, card: FleetCard) -> None:
        self._cards[id_of(card)] = card
        self._packer.add_card(card)
