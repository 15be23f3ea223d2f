"""How the batches of a `fit` are trained at first, and again where its train function is new."""

from typing import Any

from fitguard.keras.card import Card
from fitguard.keras.fitting.first_rows import first_rows
from fitguard.keras.fitting.remembered_rows import RememberedRows
from fitguard.keras.fitting.replicas import largest_share
from fitguard.keras.fitting.step import GuardedStep
from fitguard.schema.journal import Orders


class FirstChoice:
    """Chooses before the first step, and remembers for later runs what had to be chosen.

    Args:
        number: Of the `fit` call.
        card: Its free memory, before TensorFlow took it; None where it is not known.
    """

    def __init__(self, orders: Orders, number: int, model: Any, card: Card | None) -> None:
        self._orders = orders
        self._number = number
        self._model = model
        self._card = card
        self._remembered: RememberedRows | None = None

    def make(self, step: GuardedStep, batch: Any) -> None:
        """Have the step train in this way; one that had to train in less memory already does so."""
        if step.smaller.is_used:
            return
        share, smaller = largest_share(batch), step.smaller
        first = first_rows(
            self._orders,
            self._number,
            self._model,
            share,
            self._card,
            smaller.may_split,
            smaller.may_recompute,
        )
        if self._card is not None:
            self._remembered = RememberedRows.here(self._model, share, self._card)
        step.begin(first, batch)

    def remember(self, step: GuardedStep | None) -> None:
        """At the end of the call."""
        if step is not None and step.smaller.is_used and self._remembered is not None:
            self._remembered.keep(step.smaller.rows, step.smaller.share)
