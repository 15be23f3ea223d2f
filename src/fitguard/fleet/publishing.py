"""The fleet as others see it: an actor that holds its document while the driver lives.

The driver hangs up a new one where something has changed, and never waits for that. Whoever asks
gets the newest, or waits until there is a newer one. The actor ends with the driver.
"""

import asyncio
import contextlib
import itertools
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from fitguard.fleet.gauges import Gauges
from fitguard.monitor.run_folder import RUNS
from fitguard.schema.fleet import Fleet

NAMESPACE = "fitguard"
PREFIX = "fleet "
"""Of the names of the actors."""
_EVERY_SECONDS = 1.0
_SHARE = 50
"""Times what describing the fleet took, until it is described again: 2 % of the loop at most."""
_AGAIN_SECONDS = 5.0
_LAST_SECONDS = 2.0


class Billboard:
    """The actor. It knows bytes only."""

    def __init__(self) -> None:
        self._number = 0
        self._document = b""
        self._when = time.monotonic()
        self._changed = asyncio.Event()

    async def hang(self, document: bytes) -> None:
        """Show this from now on."""
        self._number += 1
        self._document, self._when = document, time.monotonic()
        self._changed.set()
        self._changed = asyncio.Event()

    async def read(self, known: int, seconds: float) -> tuple[int, float, bytes]:
        """The newest one's number, its age in seconds, and itself.

        Args:
            known: The number that the reader has: it waits for another one.
            seconds: The longest that it waits.
        """
        if self._number == known:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), seconds)
        return self._number, time.monotonic() - self._when, self._document


@contextlib.contextmanager
def publishing(wanted: str, describe: Callable[[str], Fleet]) -> Iterator[Callable[[], None]]:
    """Yields what is to be called again and again while the fleet works.

    Args:
        wanted: The name of the fleet; it gets a number where another fleet has it.
        describe: Makes the document of the fleet, with its name.
    """
    publisher = Publisher(wanted, describe)
    try:
        yield publisher.publish
    finally:
        publisher.close()


class Publisher:
    """Shows the fleet to others, at little cost. What goes wrong here never hurts the fleet."""

    def __init__(self, wanted: str, describe: Callable[[str], Fleet]) -> None:
        self._name = wanted
        self._describe = describe
        self._gauges: Gauges | None = None
        self._actor: Any = None
        self._promise: Any = None
        self._shown: Fleet | None = None
        self._not_before = 0.0

    def publish(self) -> None:
        """Show how the fleet stands, if it is time and something has changed."""
        now = time.monotonic()
        if now < self._not_before:
            return
        try:
            self._publish()
            pause = max(_EVERY_SECONDS, _SHARE * (time.monotonic() - now))
        except Exception:  # a view of the fleet is not worth the fleet
            self._actor = self._promise = self._shown = None
            pause = _AGAIN_SECONDS
        self._not_before = time.monotonic() + pause

    def close(self) -> None:
        """Show the end to those who wait for news."""
        import ray

        with contextlib.suppress(Exception):
            if self._gauges is not None:
                self._gauges.clear()
            if self._actor is not None:
                shown = self._actor.hang.remote(msgspec.json.encode(self._describe(self._name)))
                ray.get(shown, timeout=_LAST_SECONDS)

    def _publish(self) -> None:
        import ray

        if self._promise is not None:
            if not ray.wait([self._promise], timeout=0)[0]:
                return
            promise, self._promise = self._promise, None
            ray.get(promise)
        if self._actor is None:
            self._name = _choose_name(self._name)
            self._actor = _start(self._name)
            self._gauges = self._gauges or Gauges(self._name)
        fleet = self._describe(self._name)
        still = stop_clocks(fleet)
        if still == self._shown:
            return
        self._promise = self._actor.hang.remote(msgspec.json.encode(fleet))
        self._shown = still
        assert self._gauges is not None
        self._gauges.set(fleet)


def name_fleet(storage: str) -> str:
    """A name by the folder of its runs, or by the one around it where that has the usual name."""
    folder = Path(storage)
    return (folder.parent.name if folder.name == RUNS else folder.name) or RUNS


def list_fleets() -> tuple[str, ...]:
    """The names of all fleets that others can see on this cluster."""
    import ray

    actors = ray.util.list_named_actors(all_namespaces=True)
    return tuple(
        sorted(
            one["name"].removeprefix(PREFIX)
            for one in actors
            if one["namespace"] == NAMESPACE and one["name"].startswith(PREFIX)
        )
    )


def _choose_name(wanted: str) -> str:
    """The name, with a number where another fleet has it already."""
    taken = list_fleets()
    numbered = (f"{wanted}-{number}" for number in itertools.count(2))
    return next(name for name in itertools.chain((wanted,), numbered) if name not in taken)


def _start(name: str) -> Any:
    """An actor that ends with this process."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=True)
    options = {"name": f"{PREFIX}{name}", "namespace": NAMESPACE, "scheduling_strategy": here}
    return ray.remote(Billboard).options(num_cpus=0, max_restarts=0, **options).remote()


def stop_clocks(fleet: Fleet) -> Fleet:
    """Without what changes all the time by itself."""
    still = tuple(
        msgspec.structs.replace(one, seconds=0.0) if one.state == "running" else one
        for one in fleet.trainings
    )
    return msgspec.structs.replace(fleet, trainings=still)
