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
        for request in requests:
            held = packer.holds_for(request.name)
            if held:
                found = _say_held(packer, held, name_card)
            elif not request.whole_card and request.memory_bytes > limit_bytes >= 0:
                found = f"the largest that is there now has {size(limit_bytes)}"
            elif limit_bytes < 0 or roomiest is None:
                found = "there are not enough cards now"
            else:
                found = _say_room(request, *roomiest, name_card)
            reasons[request.name] = f"needs {_say_need(request)}; {found}"
    return reasons


def _say_need(request: Request) -> str:
    what = "a whole card" if request.whole_card else size(request.memory_bytes)
    return what if request.workers == 1 else f"{what} {request.workers} times"


def _say_held(packer: Packer, held: tuple[CardId, ...], name_card: Callable[[CardId], str]) -> str:
    free = [f"{name_card(key)} ({size(packer.free_bytes(key))} free)" for key in held]
    return f"held for it: {', '.join(free)}"


def _say_room(
    request: Request, room_bytes: int, key: CardId, name_card: Callable[[CardId], str]
) -> str:
    if request.whole_card:
        return "none is free"
    if room_bytes <= 0:
        return "nothing is free"
    if room_bytes >= request.memory_bytes:
        return "it is about to start"
    return f"the most that is free is {size(room_bytes)} on {name_card(key)}"
