"""Puts a plan together from the estimate of a step and the card."""

import time
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from fitguard.knowledge import knowledge
from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.memory.advice import (
    Advised,
    Question,
    advise,
    find_shortage,
    micro_batch_size,
)
from fitguard.memory.cards import find_smallest_card
from fitguard.memory.estimate import Estimate
from fitguard.memory.estimating import estimator_of, find_runnable
from fitguard.memory.largest_batch import largest
from fitguard.memory.measuring.measurements import Measurements
from fitguard.memory.preparation import Preparation
from fitguard.schema.plan import Card, Plan, Range, Shortage

LIBRARIES_BYTES = 80 * 2**20
"""What cuBLAS, cuDNN and their kernels added to the context in 33 runs on an H200."""
_SHORTAGE_BUDGET_SECONDS = 30.0
"""What advice may take where not even one sample fits: nothing else helps then."""


@dataclass(frozen=True)
class Draft:
    """A step that was prepared, and the card that it must fit.

    Args:
        advice: Whether advice is wanted; `full`: all of it, however long it takes.
        measurements: Of this step and others, or how to measure it now.
    """

    prepared: Preparation
    card: Card | None
    advice: bool | Literal["full"]
    measurements: Measurements

    def plan(self) -> Plan:
        """The whole plan."""
        start = time.monotonic()
        prepared, traced = find_runnable(self.prepared, self._capability)
        training, batch = prepared.training, prepared.replica_batch_size
        traced_seconds = time.monotonic() - start
        estimator = self.measurements.sharpen_estimator(prepared, traced, self.card)
        measured = time.monotonic()
        estimate = estimator.at(batch, detail=True)
        traced_seconds += time.monotonic() - measured
        question = Question(
            training=training,
            batch_size=batch,
            estimator=estimator,
            estimator_of=lambda other: estimator_of(other, self._capability),
            card=self.card,
        )
        shortage = self._find_shortage(question, estimate)
        advised = self._collect_advice(question, shortage, traced_seconds)
        twice = estimator.at(2 * batch) if question.any_batch else estimate
        return Plan(
            mode=estimator.mode,
            batch_size=prepared.batch_size,
            step=prepared.step,
            required_bytes=estimate.required,
            comfortable_bytes=estimate.comfortable,
            process_bytes=process_bytes(estimate.comfortable),
            breakdown=estimate.breakdown,
            layers=estimate.layers,
            curve=estimate.curve,
            # What is in use grows evenly; what the allocator makes of it, in jumps.
            batch_bytes=max(twice.comfortable.low - estimate.comfortable.low, 0) // batch,
            card=self.card,
            largest_batch_size=self._largest(question, estimate),
            micro_batch_size=self._micro_batch(question, estimate),
            fits=self._fits(estimate),
            shortage=shortage,
            advice=advised.advice,
            unknown=estimate.unknown,
            assumptions=prepared.notes,
            reasons=(*estimate.reasons, *advised.reasons),
            measured=estimate.measured,
            seconds=round(time.monotonic() - start, 3),
        )

    @property
    def _capability(self) -> str:
        return (self.card.compute_capability if self.card else "") or USUAL_CAPABILITY

    def _find_shortage(self, question: Question, estimate: Estimate) -> Shortage | None:
        if self.card is None or not question.any_batch or _is_open(estimate):
            return None
        found = find_shortage(question.estimator, 1, self.card.usable_bytes)
        if found is None:
            return None
        card_bytes = find_smallest_card(found.required_bytes.high, self._capability)
        # Where others hold memory of the card, it need not be larger.
        larger = card_bytes is not None and card_bytes > self.card.memory_bytes
        return msgspec.structs.replace(found, card_bytes=card_bytes if larger else None)

    def _collect_advice(
        self, question: Question, shortage: Shortage | None, traced_seconds: float
    ) -> Advised:
        if not self.advice:
            return Advised()
        everything = self.advice == "full"
        if shortage is None:
            return advise(question, everything=everything, trace_seconds=traced_seconds)
        return advise(
            replace(question, batch_size=1),
            everything=everything,
            trace_seconds=traced_seconds,
            budget_seconds=_SHORTAGE_BUDGET_SECONDS,
        )

    def _largest(self, question: Question, estimate: Estimate) -> int | None:
        """0 where not even one sample fits."""
        if self.card is None or not question.any_batch or _is_open(estimate):
            return None
        found = largest(question.estimator, self.card.usable_bytes, near=question.batch_size)
        return question.all_gpus(found or 0)

    def _micro_batch(self, question: Question, estimate: Estimate) -> int | None:
        batch_size = self.prepared.batch_size
        if self.card is None or not question.has_model or _is_open(estimate):
            return None
        if not question.any_batch:
            return batch_size if self._fits(estimate) else None
        part = micro_batch_size(
            question.training, question.estimator, question.batch_size, self.card.usable_bytes
        )
        # What a GPU gets of a batch that cannot be divided evenly is rounded up.
        return None if part is None else min(part * question.training.replicas, batch_size)

    def _fits(self, estimate: Estimate) -> bool | None:
        """True and False where that is sure."""
        if self.card is None:
            return None
        if estimate.required.low > self.card.usable_bytes:
            return False
        sure = estimate.required.high <= self.card.usable_bytes and not _is_open(estimate)
        return True if sure else None


def _is_open(estimate: Estimate) -> bool:
    """Whether something is unknown that nothing bounds: then nothing fits for sure."""
    return any(part.most_bytes is None for part in estimate.unknown)


def process_bytes(comfortable: Range) -> Range:
    """With memory growth: the context, and regions that double whenever one is full.

    On an H200 the regions held the peak, rounded up to a power of two, in 25 of 33 runs, and twice
    that in the others (bench/plan/measured.csv).
    """
    beside = knowledge().gpu_memory.context_bytes + LIBRARIES_BYTES
    return Range(
        comfortable.low + beside,
        _power_of_two(comfortable.likely) + beside,
        2 * _power_of_two(comfortable.high) + beside,
    )


def _power_of_two(size_bytes: int) -> int:
    return 1 << (size_bytes - 1).bit_length()
