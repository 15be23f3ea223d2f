"""`fitguard.fleet.status`, and the same again and again: a fleet at work, seen from elsewhere."""

import contextlib
from collections.abc import Generator, Iterator
from typing import Any

import msgspec

from fitguard.fleet.connecting import connecting
from fitguard.fleet.publishing import NAMESPACE, PREFIX, list_fleets, stop_clocks
from fitguard.monitor.regular_files import UNDECODABLE
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import Fleet

_ANSWER_SECONDS = 30.0
_NOTHING_YET_SECONDS = 10.0


def status(address: str | None = None, *, name: str | None = None) -> Fleet:
    """What a fleet is doing now: its cards and what is on them, who trains, who waits for what.

    Args:
        address: Of the Ray cluster; default: RAY_ADDRESS, or the one that runs on this machine.
        name: Of the fleet, where the cluster has several.

    Example:
        >>> fleet = fitguard.fleet.status("ray://head:10001")
        >>> [(one.name, one.why) for one in fleet.trainings if one.state == "waiting"]

    Raises:
        UsageError: where there is no Ray, no cluster at the address, or no fleet of this name.
        UnreadableInput: where no fleet is at work there.
    """
    with contextlib.closing(follow(address, name=name)) as moments:
        return next(moments)


def follow(
    address: str | None = None, *, name: str | None = None, every_seconds: float = 1.0
) -> Generator[Fleet, None, None]:
    """The fleet as it is now, then whenever it has changed or that long has passed.

    It ends when the fleet has.

    Raises:
        UsageError, UnreadableInput: as for `status`.
    """
    with connecting(address, local=False):
        import ray

        actor = _find(name)
        number, wait_seconds = 0, _NOTHING_YET_SECONDS
        while True:
            try:
                promise = actor.read.remote(number, wait_seconds)
                number, age_seconds, text = ray.get(promise, timeout=wait_seconds + _ANSWER_SECONDS)
            except ray.exceptions.RayError as error:
                if number:
                    return
                why = type(error).__name__
                raise UnreadableInput(f"The fleet does not answer ({why})") from error
            if not number:
                raise UnreadableInput(
                    "The fleet has told nothing of itself yet. Ask it again later"
                )
            fleet = _decode(text, age_seconds)
            yield fleet
            if not any(one.state in ("waiting", "running") for one in fleet.trainings):
                return
            wait_seconds = every_seconds


def skip_unchanged(moments: Iterator[Fleet]) -> Iterator[Fleet]:
    """Only those in which more than time has changed."""
    shown: Fleet | None = None
    for moment in moments:
        still = stop_clocks(moment)
        if still != shown:
            yield moment
        shown = still


def _find(name: str | None) -> Any:
    import ray

    names = list_fleets()
    if not names:
        raise UnreadableInput(
            "No fleet is at work on this cluster. Expected one that `fitguard fleet run` has "
            "started there; one of --local shows itself only to who started it"
        )
    if name is None and len(names) > 1:
        raise UsageError(
            f"Received no name, and {len(names)} fleets are at work there. Expected one of: "
            f"{', '.join(names)}"
        )
    if name is not None and name not in names:
        raise UsageError(f"Received the name {name}. Expected one of: {', '.join(names)}")
    try:
        return ray.get_actor(f"{PREFIX}{name or names[0]}", namespace=NAMESPACE)
    except ValueError as error:
        raise UnreadableInput("The fleet has just ended") from error


def _decode(text: bytes, age_seconds: float) -> Fleet:
    """The document, with the time that has passed since for those that train."""
    try:
        fleet = msgspec.json.decode(text, type=Fleet)
    except UNDECODABLE as error:
        raise UnreadableInput(
            f"The fleet tells of itself what cannot be read: {error}. Expected the same version of "
            "fitguard here and there"
        ) from error
    aged = tuple(
        msgspec.structs.replace(one, seconds=one.seconds + age_seconds)
        if one.state == "running"
        else one
        for one in fleet.trainings
    )
    return msgspec.structs.replace(fleet, trainings=aged)
