"""From the ends of the workers of a training to what comes next for it."""

from typing import NamedTuple

from fitguard.fleet.requests import CardId
from fitguard.fleet.trainer import Ended
from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import JobState
from fitguard.schema.journal import LEFT_AS_ASKED


class Conclusion(NamedTuple):
    """What comes next.

    Args:
        said: Behind the name of the training, for people.
        avoid: Cards that it is not to be placed on again.
    """

    state: JobState
    said: str
    why: str = ""
    cause: str = ""
    pause_seconds: float = 0.0
    avoid: frozenset[CardId] = frozenset()
    is_card_suspect: bool = False
    steps: int = 0


def conclude(one: Training) -> Conclusion:
    ends = [worker.ended for worker in one.workers]
    last = next((end for end in ends if not isinstance(end, Ended) or end.exit_code), ends[0])
    if isinstance(last, Ended) and last.exit_code == 0:
        return Conclusion("finished", "finished")
    if not isinstance(last, Ended) or last.exit_code == LEFT_AS_ASKED:
        return Conclusion("waiting", one.asked or str(last), pause_seconds=3)
    why = last.record.why or last.said.strip()[-300:]
    return Conclusion("failed", f"failed: {why}", why, last.record.cause)
