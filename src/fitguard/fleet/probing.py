"""Cards that look sick are probed, in a task of Ray that has the card for itself.

A card that fails is probed again after a while: what others had left on it may be gone. After the
third time it is given up, so that nobody waits for it for ever.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from fitguard.fleet.asking import ask_here
from fitguard.fleet.holding import Holder
from fitguard.fleet.requests import CardId
from fitguard.schema.probe import ProbeReport
from fitguard.words import duration

_PROBE_SECONDS = 600.0
_PAUSES_SECONDS = (60.0, 600.0)
"""After the first failed probe of a card, and after the second one."""
_BUSY_SECONDS = 30.0


class Verdict(NamedTuple):
    """What came of a probe.

    Args:
        problem: Empty where the card passed.
        is_last: It is not probed again.
    """

    card: CardId
    problem: str
    is_last: bool


@dataclass
class _Suspect:
    """A card that waits for its probe, or is probed now.

    Args:
        python: That trains.
        promise: Of Ray, while it is probed.
        due: When it may be probed, on the clock of `time.monotonic`.
    """

    python: str
    promise: Any = None
    failures: int = 0
    due: float = 0.0


class Probes:
    """Cards that look sick.

    Args:
        holder: Gives cards while they are probed.
        is_used: Whether somebody trains on a card: then it cannot be probed.
    """

    def __init__(self, holder: Holder, is_used: Callable[[CardId], bool]) -> None:
        self._holder = holder
        self._is_used = is_used
        self._suspects: dict[CardId, _Suspect] = {}

    def add(self, card: CardId, python: str) -> None:
        """Probe it, as soon as nobody is on it, with this interpreter."""
        self._suspects.setdefault(card, _Suspect(python))

    def forget(self, card: CardId) -> None:
        """It is gone."""
        self._suspects.pop(card, None)

    def look(self) -> Iterator[Verdict]:
        """Begin a probe, and hear those that have ended."""
        self._begin()
        for card, one in list(self._suspects.items()):
            if one.promise is None or (problem := _hear(one.promise)) is None:
                continue
            self._holder.give(card)
            yield self._judge(card, one, problem)

    def _begin(self) -> None:
        """One at a time: Ray may need seconds to say that others have the card."""
        now = time.monotonic()
        for card, one in self._suspects.items():
            if one.promise is None and one.due <= now and not self._is_used(card):
                if self._holder.take(card):
                    one.promise = ask_probe(self._holder.place(card, 1.0), one.python)
                else:
                    one.due = now + _BUSY_SECONDS
                return

    def _judge(self, card: CardId, one: _Suspect, problem: str) -> Verdict:
        one.promise = None
        is_last = not problem or one.failures == len(_PAUSES_SECONDS)
        if is_last:
            del self._suspects[card]
            return Verdict(card, problem, is_last)
        pause = _PAUSES_SECONDS[one.failures]
        one.due, one.failures = time.monotonic() + pause, one.failures + 1
        return Verdict(card, f"{problem}. It is probed again in {duration(pause)}", is_last)


def _hear(promise: Any) -> str | None:
    """What is wrong with the card; None where it has not answered yet."""
    import ray

    if not ray.wait([promise], timeout=0)[0]:
        return None
    try:
        return str(ray.get(promise))
    except ray.exceptions.RayError as error:
        return f"the probe was lost ({type(error).__name__})"


def ask_probe(place: Mapping[str, Any], python: str) -> Any:
    """Ray's promise of what `probe_card` answers.

    Args:
        place: Options of Ray for a task on the card.
        python: That trains; empty for the one of fitguard.
    """
    import ray

    return ray.remote(probe_card).options(max_retries=0, **place).remote(python)


def probe_card(python: str) -> str:
    """What is wrong with the card that Ray gave to this process; empty for nothing."""
    words = ["probe", "--level=quick", "--format=json"]
    if python:
        words.append(f"--python={python}")
    told = ask_here(words, _PROBE_SECONDS)
    if told["problem"]:
        return told["problem"]
    try:
        report = msgspec.json.decode(told["text"], type=ProbeReport)
    except msgspec.DecodeError as error:
        return f"what `fitguard probe` answered cannot be read: {error}"
    return ", ".join(f"{failed.name} ({failed.status})" for failed in report.failures)
