"""Cards that are held in Ray's books while something runs on them.

A card is a placement group of one bundle with one GPU, pinned to its node. Ray chooses which of the
node's GPUs that is, so a small task tells it; groups of other cards go back until it is the right
one. An idle card is not held: others who use the cluster can have it.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from typing import Any

from fitguard.fleet.inspecting import NodeCard
from fitguard.fleet.requests import CardId

_GROUP_SECONDS = 5.0
_TASK_SECONDS = 30.0
_LEAST_SHARE = 1e-4
"""Ray counts in ten-thousandths of a GPU."""


class Holder:
    """The placement groups of the fleet.

    Args:
        find_card: What is known of a card.
        list_cards: What is known of all cards of a node.
    """

    def __init__(
        self,
        find_card: Callable[[CardId], NodeCard],
        list_cards: Callable[[str], Iterable[NodeCard]],
    ) -> None:
        self._find_card = find_card
        self._list_cards = list_cards
        self._groups: dict[CardId, Any] = {}
        self._users: dict[CardId, int] = {}
        self._strange: dict[CardId, str] = {}

    def take(self, key: CardId) -> bool:
        """Hold a card for one more user; False where Ray does not give it."""
        if key not in self._groups:
            group = self._reserve(key)
            if group is None:
                return False
            self._groups[key] = group
        self._users[key] = self._users.get(key, 0) + 1
        return True

    def explain_refusal(self, key: CardId) -> str:
        """Why a card cannot be had though Ray has one to give; empty where others have it."""
        if key not in self._strange:
            return ""
        known = ", ".join(str(card.index) for card in self._list_cards(key[0]))
        return (
            f"Ray gives trainings CUDA_VISIBLE_DEVICES={self._strange[key]!r} there, which is none "
            f"of the GPUs that NVML tells. Expected one of {known}, or the UUID of one"
        )

    def give(self, key: CardId) -> None:
        """One user less; without any, the card goes back to Ray."""
        self._users[key] = self._users.get(key, 1) - 1
        if self._users[key] <= 0:
            self.drop(key)

    def drop(self, key: CardId) -> None:
        """Give a card back, whoever uses it: Ray ends what still runs there."""
        self._users.pop(key, None)
        group = self._groups.pop(key, None)
        if group is not None:
            _remove(group)

    def drop_all(self) -> None:
        """Give all cards back."""
        for key in list(self._groups):
            self.drop(key)

    def place(self, key: CardId, share: float) -> dict[str, Any]:
        """Options of Ray for what runs on a card that is held, on this part of it."""
        return {
            "num_cpus": 0,
            "num_gpus": max(int(share / _LEAST_SHARE) * _LEAST_SHARE, _LEAST_SHARE),
            "scheduling_strategy": _inside(self._groups[key]),
        }

    def _reserve(self, key: CardId) -> Any:
        from ray.util.placement_group import placement_group

        others = []
        self._strange.pop(key, None)
        try:
            while True:
                group = placement_group(
                    [{"GPU": 1}],
                    bundle_label_selector=[{"ray.io/node-id": key[0]}],
                )
                is_given = group.wait(timeout_seconds=_GROUP_SECONDS)
                if is_given and self._is_of(group, key):
                    return group
                others.append(group)
                if not is_given:
                    return None
        finally:
            for other in others:
                _remove(other)

    def _is_of(self, group: Any, key: CardId) -> bool:
        import ray

        task = ray.remote(tell_gpu).options(
            num_cpus=0, num_gpus=_LEAST_SHARE, scheduling_strategy=_inside(group), max_retries=0
        )
        try:
            told = ray.get(task.remote(), timeout=_TASK_SECONDS)
        except ray.exceptions.RayError:
            return False
        if not any(_is_named(card, told) for card in self._list_cards(key[0])):
            self._strange[key] = told
        return _is_named(self._find_card(key), told)


def _is_named(card: NodeCard, told: str) -> bool:
    """Whether Ray means this one."""
    return told == str(card.index) or bool(told and card.uuid and card.uuid.startswith(told))


def tell_gpu() -> str:
    """Which GPU Ray gave: an index, or a UUID."""
    return os.environ.get("CUDA_VISIBLE_DEVICES", "")


def _inside(group: Any) -> Any:
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

    return PlacementGroupSchedulingStrategy(placement_group=group, placement_group_bundle_index=0)


def _remove(group: Any) -> None:
    import ray
    from ray.util.placement_group import remove_placement_group

    with contextlib.suppress(ray.exceptions.RayError):
        remove_placement_group(group)
