"""Puts a plan together from the estimate of a step and the card."""

import time
from dataclasses import dataclass
from typing import Literal

from fitguard.memory.advice import Advised, Question, advise, micro_batch_size
from fitguard.memory.estimate import Estimate, Estimator
from fitguard.memory.graph.estimator import graph_estimator
from fitguard.memory.largest_batch import largest
from fitguard.memory.measuring.measurements import Measurements
from fitguard.memory.preparation import Preparation
from fitguard.memory.process import process_bytes
from fitguard.memory.training import Training
from fitguard.memory.xla import xla_estimator
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.plan import Card, Plan

USUAL_CAPABILITY = "8.6"
"""Of the card where it is not known."""


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
        training, batch = self.prepared.training, self.prepared.replica_batch_size
        traced = self._estimator(training)
        traced_seconds = time.monotonic() - start
        estimator = self.measurements.sharpened(self.prepared, traced, self.card)
        measured = time.monotonic()
        estimate = estimator.at(batch, detail=True)
        traced_seconds += time.monotonic() - measured
        question = Question(
            training=training,
            batch_size=batch,
            estimator=estimator,
            estimator_of=self._estimator,
            card=self.card,
        )
        advised = self._advised(question, traced_seconds)
        further = estimator.at(2 * batch).required.likely if question.any_batch else 0
        return Plan(
            mode=estimator.mode,
            batch_size=self.prepared.batch_size,
            step=self.prepared.step,
            required_bytes=estimate.required,
            comfortable_bytes=estimate.comfortable,
            process_bytes=process_bytes(estimate.comfortable),
            breakdown=estimate.breakdown,
            layers=estimate.layers,
            curve=estimate.curve,
            batch_bytes=max(further - estimate.required.likely, 0) // batch,
            card=self.card,
            largest_batch_size=self._largest(question),
            micro_batch_size=self._micro_batch(question),
            fits=self._fits(estimate),
            advice=advised.advice,
            unknown=estimate.unknown,
            reasons=(*self.prepared.notes, *estimate.reasons, *advised.reasons),
            measured=estimate.measured,
            seconds=round(time.monotonic() - start, 3),
        )

    def _estimator(self, training: Training) -> Estimator:
        capability = (self.card.compute_capability if self.card else "") or USUAL_CAPABILITY
        try:
            if training.jit_compile:
                return xla_estimator(training)
            return graph_estimator(training, capability)
        except UsageError:
            raise
        except Exception as error:
            raise UsageError(
                f"The training step could not be traced: {type(error).__name__}: {error}\n"
                "Expected a model whose train_step runs as a graph with these data; "
                "model.train_on_batch shows the same error."
            ) from error

    def _advised(self, question: Question, traced_seconds: float) -> Advised:
        if not self.advice:
            return Advised()
        return advise(question, everything=self.advice == "full", trace_seconds=traced_seconds)

    def _largest(self, question: Question) -> int | None:
        """0 where not even one sample fits."""
        if self.card is None or not question.any_batch:
            return None
        found = largest(question.estimator, self.card.usable_bytes, near=question.batch_size)
        return question.all_gpus(found or 0)

    def _micro_batch(self, question: Question) -> int | None:
        if self.card is None or not question.has_model:
            return None
        if not question.any_batch:
            return self.prepared.batch_size if self._fits_for_sure(question) else None
        return question.all_gpus(
            micro_batch_size(
                question.training,
                question.estimator,
                question.batch_size,
                self.card.usable_bytes,
            )
        )

    def _fits_for_sure(self, question: Question) -> bool:
        return self.card is not None and question.required.high <= self.card.usable_bytes

    def _fits(self, estimate: Estimate) -> bool | None:
        """True and False where that is sure."""
        if self.card is None:
            return None
        if estimate.required.high <= self.card.usable_bytes:
            return True
        return False if estimate.required.low > self.card.usable_bytes else None
