"""What advice is asked for: a step, what it needs, and the card it must fit."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec

from fitguard.memory.estimate import Estimate, Estimator
from fitguard.memory.largest_batch import largest
from fitguard.memory.training import Training
from fitguard.schema.plan import Advice, Card, Range

LEAST_SHARE = 0.02
"""What saves less than this share of the required bytes is not worth a change."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A step for which advice is wanted.

    Args:
        batch_size: Of one GPU: what the estimator is asked for.
        estimator: Of the step as it is.
        estimator_of: Makes the estimator of another version of the training: a trace, which costs
            seconds.
    """

    training: Training
    batch_size: int
    estimator: Estimator
    estimator_of: Callable[[Training], Estimator]
    card: Card | None = None

    @cached_property
    def required(self) -> Range:
        """What the step needs as it is."""
        return self.estimator.at(self.batch_size).required

    @property
    def too_large(self) -> bool:
        """Whether there is a card, and the step does not fit it for sure."""
        return self.card is not None and self.required.high > self.card.usable_bytes

    @property
    def has_model(self) -> bool:
        """Whether the step is that of a model, and no function of the user's."""
        return self.training.model is not None and self.training.step is None

    @property
    def any_batch(self) -> bool:
        """Whether the step takes batches of any size."""
        return self.training.only_batch_size is None

    def all_gpus(self, batch_size: int | None) -> int | None:
        """The batch that the user gives, of which each GPU gets its part."""
        return None if batch_size is None else batch_size * self.training.replicas

    def judge_advice(self, advice: Advice, then: Estimator) -> Advice | None:
        """Advice with what another step needs, whether that fits, and the largest batch with it.

        None where it saves too little.
        """
        needs = then.at(self.batch_size).required
        usable_bytes = None if self.card is None else self.card.usable_bytes
        return self.weigh_advice(
            advice, needs, self.all_gpus(self.find_fitting_batch(then, usable_bytes))
        )

    def find_fitting_batch(self, estimator: Estimator, usable_bytes: int | None) -> int | None:
        """The largest batch of one GPU; None where there is no card, or but one size is taken."""
        if usable_bytes is None or not self.any_batch:
            return None
        return largest(estimator, usable_bytes, near=self.batch_size)

    def weigh_advice(
        self, advice: Advice, needs: Range, largest_batch: int | None
    ) -> Advice | None:
        """Advice with these needs; None where they are hardly less than those of the step."""
        now = self.required.likely
        saved = now - needs.likely
        if saved < LEAST_SHARE * now:
            return None
        usable = None if self.card is None else self.card.usable_bytes
        return msgspec.structs.replace(
            advice,
            required_bytes=needs.likely,
            saved_bytes=saved,
            largest_batch_size=largest_batch,
            enough=None if usable is None else needs.high <= usable,
        )


class Shifted:
    """An estimator whose answers are larger by a fixed number of bytes, or smaller."""

    def __init__(self, estimator: Estimator, more_bytes: int) -> None:
        self.mode = estimator.mode
        self._estimator = estimator
        self._more_bytes = more_bytes

    def at(self, batch_size: int, *, detail: bool = False) -> Estimate:
        """The memory at this batch size."""
        plain = self._estimator.at(batch_size, detail=detail)
        return replace(plain, required=shift_range(plain.required, self._more_bytes))


def shift_range(span: Range, more_bytes: int) -> Range:
    """A range moved up or down."""
    return Range(span.low + more_bytes, span.likely + more_bytes, span.high + more_bytes)


def proposal(
    slug: str, title: str, text: str, *, changes_results: bool = False, code: str = ""
) -> Advice:
    """Advice before it is known what it gives."""
    return Advice(
        slug=slug,
        title=title,
        text=text,
        required_bytes=0,
        saved_bytes=0,
        changes_results=changes_results,
        code=code,
    )
