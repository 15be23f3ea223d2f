"""What comes next when a training has ended: pure, by cause and not by count.

`fitguard run` has tried already what can be tried on one machine (`knowledge/tables/policy.toml`).
What is left to the fleet is another place: the column `elsewhere` of the same table. Wrong data and
a wrong install fail everywhere, and are not started again. A node or an actor that died says
nothing of the training.

What was tried counts until the training keeps more steps than before.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import msgspec

from fitguard.fleet.requests import CardId
from fitguard.knowledge import knowledge
from fitguard.knowledge.policy import PolicyRow
from fitguard.monitor.attempt_events import order
from fitguard.monitor.lease_files import LASTS_SECONDS
from fitguard.schema.exit_codes import INTERRUPTED, ExitCode
from fitguard.schema.journal import LEFT_AS_ASKED
from fitguard.schema.run import Outcome, Place
from fitguard.words import count

_ALIKE_ENOUGH = 3
"""Starts that failed for the same cause, on other cards where there are some, and kept nothing."""
_STARTS_ENOUGH = 10
"""The same for all causes together, lost nodes included."""
_LOSSES_ENOUGH = 2
"""Starts that were lost on a node: more than the chance of one."""
_LONGEST_PAUSE_SECONDS = 60.0
_REFUSED = (ExitCode.WRONG_USAGE, ExitCode.GATE_FAILED, ExitCode.UNREADABLE_INPUT)
"""Codes of `fitguard run` for what is the same on every node."""
_FIRST_SIGNAL = 128

Action = Literal["done", "again", "elsewhere", "wait", "give-up"]
"""`again`: anywhere. `elsewhere`: on other cards. `wait`: later, for it is in other hands now."""


class TrainingEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a training ended on its cards.

    Args:
        exit_code: Of `fitguard run`; None where its actor or its node died.
        outcome: Of the last attempt, as the record of the run has it; empty where there is none.
        cause: On which `fitguard run` decided to stop, by slug; empty where it did not.
        asked: The fleet itself asked it to leave.
        cards: Where it ended so: of a gang, that of the worker that decided, if one did.
        kept: How far its snapshots are now.
        whole_card: It had whole cards.
    """

    exit_code: int | None
    outcome: Outcome | Literal[""] = ""
    cause: str = ""
    asked: bool = False
    cards: tuple[CardId, ...] = ()
    kept: Place = Place()
    whole_card: bool = False


class Next(msgspec.Struct, frozen=True, kw_only=True):
    """What comes next.

    Args:
        avoid: Cards on which it does not start again, if others will do.
        avoid_nodes: The same for all cards of these nodes.
        probe: Cards to leave out until they have passed a probe.
        whole_card: It gets whole cards from now on.
        wait_seconds: Before it is looked at again.
        why: For the user; empty where all is well.
    """

    action: Action
    avoid: frozenset[CardId] = frozenset()
    avoid_nodes: frozenset[str] = frozenset()
    probe: tuple[CardId, ...] = ()
    whole_card: bool = False
    wait_seconds: float = 0.0
    why: str = ""


def decide_next(ends: Sequence[TrainingEnd]) -> Next:
    """What to do after the last of these ends.

    Args:
        ends: All of one training, the first one first; at least one.
    """
    last = ends[-1]
    if last.exit_code == ExitCode.FINE:
        return Next(action="done")
    if _is_in_other_hands(last):
        return Next(
            action="wait",
            wait_seconds=LASTS_SECONDS,
            why="Another process guards this run. It starts here when that one has left it.",
        )
    recent = ends[_find_progress(ends) :]
    if _was_called_away(last):
        return _go_on("again", recent)
    stuck = [end for end in recent if not _was_called_away(end)]
    if len(stuck) >= _STARTS_ENOUGH:
        return _give_up(f"It was started {count(len(stuck), 'time')} and kept no further step.")
    if _is_lost(last):
        following = _go_on("again", recent, why="Its node or its process was lost.")
        return msgspec.structs.replace(following, wait_seconds=_count_pause(recent))
    return _decide_by_cause(last, recent)


def _decide_by_cause(last: TrainingEnd, recent: Sequence[TrainingEnd]) -> Next:
    if last.outcome == "interrupted" or last.exit_code == INTERRUPTED:
        return _give_up("Somebody interrupted it.")
    if not last.outcome and last.exit_code in _REFUSED:
        return _give_up("`fitguard run` refused to start it.")
    row = _find_row(last)
    if not row.elsewhere:
        return _give_up(row.stop)
    if row.elsewhere == "whole":
        if last.whole_card:
            return _give_up(row.stop)
        return msgspec.structs.replace(_go_on("again", recent, why=row.stop), whole_card=True)
    alike = [end for end in recent if not _is_lost(end) and _find_row(end) is row]
    if len(alike) >= _ALIKE_ENOUGH:
        cards = count(len({card for end in alike for card in end.cards}), "card")
        return _give_up(
            f"{row.stop} It failed so {count(len(alike), 'time')} on {cards} and kept no further "
            "step."
        )
    probed = last.cards if row.probe else ()
    return msgspec.structs.replace(_go_on("elsewhere", recent, why=row.stop), probe=probed)


def _find_progress(ends: Sequence[TrainingEnd]) -> int:
    """Index of the last one that kept more than there was before it, else 0."""
    for index in range(len(ends) - 1, 0, -1):
        if order(ends[index].kept) > order(ends[index - 1].kept):
            return index
    return 0


def _go_on(action: Action, recent: Sequence[TrainingEnd], why: str = "") -> Next:
    """Not where it failed since it last got further, and not where it was lost again and again."""
    failed = [end for end in recent if not (_was_called_away(end) or _is_lost(end))]
    rows = [(end, _find_row(end).elsewhere) for end in failed]
    cards = {card for end, where in rows if where == "card" for card in end.cards}
    nodes = {node for end, where in rows if where == "node" for node, _ in end.cards}
    losses = Counter(node for end in recent if _is_lost(end) for node in {n for n, _ in end.cards})
    nodes |= {node for node, times in losses.items() if times >= _LOSSES_ENOUGH}
    return Next(
        action=action,
        avoid=frozenset(cards),
        avoid_nodes=frozenset(nodes),
        whole_card=recent[-1].whole_card,
        why=why,
    )


def _count_pause(recent: Sequence[TrainingEnd]) -> float:
    """Seconds after the last of several losses: what kills it may need time to pass."""
    losses = sum(map(_is_lost, recent))
    return min(2.0**losses, _LONGEST_PAUSE_SECONDS) if losses >= _LOSSES_ENOUGH else 0.0


def _find_row(end: TrainingEnd) -> PolicyRow:
    return knowledge().policy.row(end.cause or "unknown", end.outcome)


def _was_called_away(end: TrainingEnd) -> bool:
    """It left, or was not even begun: that says nothing of it."""
    return end.asked or end.outcome == "preempted" or end.exit_code == LEFT_AS_ASKED


def _is_in_other_hands(end: TrainingEnd) -> bool:
    asked = end.asked or end.outcome == "preempted"
    return end.exit_code == LEFT_AS_ASKED and not asked


def _is_lost(end: TrainingEnd) -> bool:
    """Its node, its actor or `fitguard run` itself was killed, and nothing was decided."""
    killed = end.exit_code is None or end.exit_code < 0 or end.exit_code > _FIRST_SIGNAL
    undecided = end.outcome in ("", "running", "lost")
    return end.exit_code is None or (killed and undecided and not end.cause)


def _give_up(why: str) -> Next:
    return Next(action="give-up", why=why)
