"""From the ends of the workers of a training to what comes next for it."""

from collections.abc import Sequence

from fitguard.fleet.requests import CardId
from fitguard.fleet.retrying import Next, TrainingEnd, decide_next
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training
from fitguard.schema.diagnosis import CauseSlug
from fitguard.schema.exit_codes import ExitCode
from fitguard.schema.journal import LEFT_AS_ASKED
from fitguard.schema.run import Outcome
from fitguard.words import one_line, short

_LONGEST = 300
_AFTER_LOSS_SECONDS = 2.0
"""Until what is left of a lost worker has ended, too; it holds the lock of the run."""
_FOLLOWED: Outcome = "followed"
_OF_ALL: tuple[CauseSlug, ...] = ("hang", "multi-gpu-comm")
"""All workers stand then: the one that notices it first need not be the one that is sick."""


def conclude(one: Training) -> Next:
    """Note how a training ended, and decide what comes next."""
    ends = [(worker.ended, worker.card) for worker in one.workers if worker.ended is not None]
    decisive, card = min(ends, key=lambda end: _weigh(end[0]))
    cards = (card,) if _is_of_one(decisive) else one.cards
    one.ends.append(_describe(one, decisive, cards, [end for end, _ in ends]))
    following = decide_next(one.ends)
    one.avoid, one.avoid_nodes = following.avoid, following.avoid_nodes
    one.takes_whole = one.takes_whole or following.whole_card
    if isinstance(decisive, Ended):
        one.cause = decisive.record.cause
        one.share_done = decisive.record.share_done
        one.peak_bytes = decisive.record.peak_bytes or one.peak_bytes
        one.why = decisive.record.why or following.why
        if following.action == "give-up" and not decisive.record.why:
            one.why = short(one_line(f"{following.why} {decisive.last_line}"), _LONGEST)
    else:
        one.why = decisive
    return following


def count_pause(following: Next, one: Training) -> float:
    """Seconds until it may start again."""
    was_lost = one.ends[-1].exit_code is None
    return max(following.wait_seconds, _AFTER_LOSS_SECONDS if was_lost else 0.0)


def _describe(
    one: Training,
    decisive: Ended | str,
    cards: tuple[CardId, ...],
    ends: Sequence[Ended | str],
) -> TrainingEnd:
    heard = [end.record for end in ends if isinstance(end, Ended)]
    record = decisive.record if isinstance(decisive, Ended) else None
    known = one.ends[-1].kept if one.ends else one.kept
    exit_code = decisive.exit_code if isinstance(decisive, Ended) else None
    return TrainingEnd(
        exit_code=exit_code,
        outcome=record.outcome if record is not None else "",
        cause=record.cause if record is not None else "",
        asked=bool(one.asked) and exit_code == LEFT_AS_ASKED,
        cards=cards,
        kept=heard[0].kept if heard else known,
        whole_card=one.takes_whole,
    )


def _weigh(ended: Ended | str) -> int:
    """Which end says most of a gang: a failure, of its own at best, then a loss; who left did so
    for the others.
    """
    if isinstance(ended, str):
        return 2
    failure = 1 if ended.record.outcome == _FOLLOWED else 0
    return {LEFT_AS_ASKED: 3, ExitCode.FINE: 4}.get(ended.exit_code, failure)


def _is_of_one(decisive: Ended | str) -> bool:
    """Whether it is known of which worker it is."""
    if isinstance(decisive, str):
        return True
    return decisive.record.outcome != _FOLLOWED and decisive.record.cause not in _OF_ALL
