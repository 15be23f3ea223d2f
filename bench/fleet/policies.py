"""What a fault costs a training: with exact snapshots, with one checkpoint an epoch, without."""

from typing import NamedTuple


class Policy(NamedTuple):
    """How a training comes back.

    Args:
        overhead: Of the time that it trains, for saving.
        every_seconds: Of training between two moments from which it can go on; None for never.
        restart_seconds: From its start to its first step.
        shares_cards: Several trainings on one card where their planned memory fits; otherwise one
            each, as Ray does without a plan.
    """

    name: str
    overhead: float
    every_seconds: float | None
    restart_seconds: float
    shares_cards: bool = True

    def keep(self, done_seconds: float) -> float:
        """What of the work that was done is there after a fault."""
        if self.every_seconds is None:
            return 0.0
        return done_seconds - done_seconds % self.every_seconds


RESTART_SECONDS = 15.0
"""`bench/gang_recovery.py`: from a fault to the next step, most of it the start of TensorFlow."""
SNAPSHOT_SECONDS = 60.0
EPOCH_SECONDS = 1800.0
"""Assumption: people save the model after each epoch of half an hour."""

POLICIES = (
    Policy("no faults, nothing saved", 0.0, SNAPSHOT_SECONDS, RESTART_SECONDS),
    Policy("exact snapshots each minute", 0.02, SNAPSHOT_SECONDS, RESTART_SECONDS),
    Policy("a checkpoint each epoch", 0.005, EPOCH_SECONDS, RESTART_SECONDS),
    Policy("from the beginning", 0.0, None, RESTART_SECONDS),
    Policy("from the beginning, one on a card", 0.0, None, RESTART_SECONDS, shares_cards=False),
)
"""The first one is played without faults."""
