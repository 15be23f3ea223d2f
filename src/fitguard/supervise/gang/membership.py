"""Who trains in the next round: pure, from what the workers have told.

Who was a member of the last round is waited for. Where the user allows fewer workers, those that
are gone for good are left out, and the others go on. One that comes back later joins only where all
go on from a step that it has saved together with them: its snapshots of later steps, if it has any,
are of another training.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass

from fitguard.schema.gang import Members, Ready, SavedPlace
from fitguard.supervise.gang.rounds import choose_start


@dataclass(frozen=True)
class Lacking:
    """What is in the way of a round.

    Args:
        missing: Workers that are waited for.
        unwilling: Workers that do not go on with so few.
    """

    missing: tuple[int, ...] = ()
    unwilling: tuple[int, ...] = ()


def choose_members(
    ready: Mapping[int, Ready], gone: Set[int], before: Members | None, workers: int
) -> Members | Lacking:
    """Who trains, and from where.

    Args:
        ready: Those that can begin.
        gone: Those that are given up.
        before: Who trained in the last round; None where there was none.
        workers: How many there are.
    """
    everyone = tuple(range(workers))
    core = before.workers if before is not None else everyone
    if not ready.keys() & core:
        return Lacking(core)
    start = choose_start(ready[one] for one in core if one in ready)
    if start is None:
        # Nothing is saved: all are as good as those that trained.
        core = everyone
    missing = tuple(one for one in core if one not in ready)
    if not gone >= {*missing}:
        return Lacking(missing)
    left_at = before.left_at if before is not None else {}
    back = [one for one in ready if one not in core and _may_return(ready[one], start, left_at)]
    members = tuple(sorted([*back, *(one for one in core if one in ready)]))
    unwilling = tuple(one for one in members if not 0 < ready[one].least <= len(members))
    if len(members) < workers and unwilling:
        return Lacking(missing, unwilling)
    others = {one: start if one in core else left_at.get(one) for one in everyone}
    return Members(
        workers=members,
        start=start,
        left_at={one: place for one, place in others.items() if one not in members},
    )


def _may_return(
    ready: Ready, start: SavedPlace | None, left_at: Mapping[int, SavedPlace | None]
) -> bool:
    """Whether it has the start, and not one that only has the same name."""
    until = left_at.get(ready.worker)
    return start is not None and until is not None and start <= until and start in ready.saved
