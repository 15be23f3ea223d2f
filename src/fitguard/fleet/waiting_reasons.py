"""What each waiting training waits for: pure, from what the packer knows."""

from collections.abc import Callable

from fitguard.fleet.packing import Packer
from fitguard.fleet.requests import CardId, Request
from fitguard.words import size


def explain_waits(packer: Packer, name_card: Callable[[CardId], str]) -> dict[str, str]:
    """Why each one in the line has not started yet, by name.

    Args:
        name_card: As people read it: `host/0`.
    """
    reasons = {}
    for requests, limit_bytes, roomiest in packer.list_offers():
        said: dict[int, str] = {}
        for request in requests:
            if held := packer.holds_for(request.name):
                found = _say_held(packer, held, name_card)
                reasons[request.name] = f"needs {_say_need(request)}; {found}"
                continue
            if request.memory_bytes not in said:
                found = _say_room(request, limit_bytes, roomiest, name_card)
                said[request.memory_bytes] = f"needs {_say_need(request)}; {found}"
            reasons[request.name] = said[request.memory_bytes]
    return reasons


def _say_need(request: Request) -> str:
    what = "a whole card" if request.whole_card else size(request.memory_bytes)
    return what if request.workers == 1 else f"{what} {request.workers} times"


def _say_held(packer: Packer, held: tuple[CardId, ...], name_card: Callable[[CardId], str]) -> str:
    free = [f"{name_card(key)} ({size(packer.free_bytes(key))} free)" for key in held]
    return f"held for it: {', '.join(free)}"


def _say_room(
    request: Request,
    limit_bytes: int,
    roomiest: tuple[int, CardId] | None,
    name_card: Callable[[CardId], str],
) -> str:
    if roomiest is None or limit_bytes < 0:
        return "there are not enough cards now"
    if request.whole_card:
        return "none is free"
    if request.memory_bytes > limit_bytes:
        return f"the largest that is there now has {size(limit_bytes)}"
    room_bytes, key = roomiest
    if room_bytes <= 0:
        return "nothing is free"
    if room_bytes >= request.memory_bytes:
        return "it is about to start"
    return f"the most that is free is {size(room_bytes)} on {name_card(key)}"
