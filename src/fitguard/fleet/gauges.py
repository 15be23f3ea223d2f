"""The fleet in numbers, for Prometheus: through Ray's own metrics, with Ray's labels."""

from collections import Counter
from typing import Any, get_args

from fitguard.schema.fleet import Fleet, FleetCard, JobState

_TRAININGS = "fitguard_fleet_trainings"
_CARDS = "fitguard_fleet_cards"
_MEMORY = "fitguard_fleet_card_memory_bytes"
_PROMISED = "fitguard_fleet_card_promised_bytes"
_OF_CARD = ("fleet", "node", "host", "index")
_GAUGES: dict[str, tuple[str, tuple[str, ...]]] = {
    _TRAININGS: ("Trainings of the fleet, by state", ("fleet", "state")),
    _CARDS: ("Cards of the fleet: used, free or left_out", ("fleet", "state")),
    _MEMORY: ("Memory of a card that trainings may take", _OF_CARD),
    _PROMISED: ("Memory of a card that its trainings were promised", _OF_CARD),
}
"""What each tells, and its labels beside Ray's."""
Labels = tuple[tuple[str, str], ...]
_CARD_STATES = ("used", "free", "left_out")


class Gauges:
    """Numbers that Ray serves as long as the driver lives, where its metrics are on.

    Args:
        fleet: Its name.
    """

    def __init__(self, fleet: str) -> None:
        self._fleet = fleet
        self._gauges: dict[str, Any] = {}
        self._set: set[tuple[str, Labels]] = set()

    def set(self, fleet: Fleet) -> None:
        """These are the numbers now; what is no longer there is 0."""
        if not self._gauges:
            from ray.util.metrics import Gauge

            self._gauges = {
                name: Gauge(name, description=text, tag_keys=labels)
                for name, (text, labels) in _GAUGES.items()
            }
        now = _count(fleet, self._fleet)
        for key in self._set - now.keys():
            self._tell(key, 0)
        for key, value in now.items():
            self._tell(key, value)
        self._set = set(now)

    def clear(self) -> None:
        """All are 0."""
        for key in self._set:
            self._tell(key, 0)

    def _tell(self, key: tuple[str, Labels], value: float) -> None:
        name, labels = key
        self._gauges[name].set(value, tags=dict(labels))


def _count(fleet: Fleet, name: str) -> dict[tuple[str, Labels], float]:
    """The value of each gauge with each set of labels."""
    states = Counter(one.state for one in fleet.trainings)
    cards = Counter(map(_find_state, fleet.cards))
    by_state: dict[str, dict[str, int]] = {
        _TRAININGS: {state: states[state] for state in get_args(JobState)},
        _CARDS: {state: cards[state] for state in _CARD_STATES},
    }
    found: dict[tuple[str, Labels], float] = {
        (gauge, (("fleet", name), ("state", state))): number
        for gauge, numbers in by_state.items()
        for state, number in numbers.items()
    }
    for card in fleet.cards:
        labels = tuple(zip(_OF_CARD, (name, card.node, card.host, str(card.index)), strict=True))
        found[_MEMORY, labels] = card.memory_bytes
        found[_PROMISED, labels] = card.promised_bytes
    return found


def _find_state(card: FleetCard) -> str:
    if card.left_out:
        return "left_out"
    return "used" if card.trainings else "free"
