"""Keras' train function, and what happens where it runs out of memory."""

import os
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from fitguard.keras.fitting.hidden_draws import hidden_draws
from fitguard.keras.fitting.out_of_memory import is_out_of_memory, uses_xla
from fitguard.keras.fitting.recording import put_back
from fitguard.keras.microbatch import MicroTrainStep, batchwise, halved, unsupported
from fitguard.keras.session import Session, shortened
from fitguard.keras.snapshots.content import Content
from fitguard.schema.journal import REPLACE_ME, Failed, MicroBatchChosen
from fitguard.schema.run import Place


class GuardedStep:
    """Stands where Keras looks for its train function.

    Args:
        native: Keras' own; it is called as long as the batch fits.
        place: Says where the training is.
        callbacks: Of the `fit` call.
    """

    def __init__(
        self,
        model: Any,
        native: Callable[[Any], Any],
        session: Session,
        place: Callable[[], Place],
        callbacks: Callable[[], list[Any]],
    ) -> None:
        self._model = model
        self._native = native
        self._session = session
        self._place = place
        self._callbacks = callbacks
        self._held: list[Any] = []
        self._point: Content | None = None
        self._micro: MicroTrainStep | None = None
        self.rows: int | None = None
        self.last_logs: Any = None
        self._is_first = True

    @property
    def native(self) -> Callable[[Any], Any]:
        """Keras' own train function."""
        return self._native

    def hold(self, batches: list[Any], point: Content | None) -> None:
        """The batches of the next call, and the state before it where that was copied."""
        self._held = batches
        self._point = point

    def __call__(self, iterator: Any) -> Any:
        logs = self._trained(iterator)
        if self._is_first:
            self._is_first = False
            hidden = hidden_draws(self._native)
            if hidden:
                self._session.note("inexact", hidden, fit=self._place().fit)
        self._held, self._point = [], None
        self.last_logs = logs
        return logs

    def _trained(self, iterator: Any) -> Any:
        if self._micro is not None and self._held:
            return self._in_parts()
        try:
            return self._native(iterator)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            return self._after(error)

    def _in_parts(self) -> Any:
        assert self._micro is not None
        assert self.rows is not None
        try:
            for batch in self._held:
                logs = self._micro(batch, self.rows)
                self._session.heartbeat.alive()
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            return self._after(error)
        return logs

    def _after(self, error: Exception) -> Any:
        """Go back to the state before the step, and take it in smaller parts."""
        of = rows_of(self._held[0]) if self._held else 0
        smaller = self._smaller(error, of)
        if smaller is None:
            raise error
        xla = uses_xla(self._model)
        if xla or self._point is None or not self._held:
            self._be_replaced(error, of, "xla" if xla else "graph")
        # The traceback holds the tensors of the failed step.
        error.__traceback__ = None
        put_back(self._point, self._model, self._callbacks())
        failed = self.rows or of
        self.split(smaller)
        place = self._place()
        self._session.say(f"out of memory at step {place.total_steps + 1}: the state is rolled back")
        self.tell(smaller, of, f"{failed} rows do not fit into memory")
        return self._in_parts()

    def _smaller(self, error: Exception, of: int) -> int | None:
        """The next smaller micro-batch; None where there is none that gives the same result."""
        why_not = unsupported(self._model)
        if why_not:
            self._session.note("micro-batch", f"the batch does not fit, and cannot be split: {why_not}")
            return None
        if self._session.orders.exact_only and (seen := batchwise(self._model)):
            self._session.note(
                "micro-batch", f"the batch does not fit; --exact-only forbids to split it: {seen[0]}"
            )
            return None
        smaller = halved(self.rows or of, of) if of else 1
        if smaller is None:
            self._record(error, of, "graph")
        return smaller

    def split(self, rows: int) -> None:
        """Train in micro-batches of so many rows from now on."""
        if self._micro is not None:
            self._micro.release()
        self._micro = MicroTrainStep(self._model)
        self.rows = rows
        for sentence in batchwise(self._model):
            self._session.note("inexact", sentence, fit=self._place().fit)

    def tell(self, rows: int, of: int, why: str) -> None:
        """Say that a batch of `of` rows is trained in parts, and why."""
        fit = self._place().fit
        self._session.record(MicroBatchChosen, fit=fit, rows=rows, of=of, why=why)
        self._session.say(f"the batch of {of} is trained in micro-batches of {rows}: {why}")

    def _be_replaced(self, error: Exception, of: int, mode: str) -> NoReturn:
        self._record(error, of, mode)
        leave(REPLACE_ME)

    def _record(self, error: Exception, of: int, mode: str) -> None:
        self._session.record(
            Failed,
            durable=True,
            kind="out-of-memory",
            place=self._place(),
            error=shortened(error),
            mode=mode,
            rows=self.rows or of,
            of=of,
        )


def rows_of(batch: Any) -> int:
    """Rows of a batch: the first dimension of its first tensor; 0 where it cannot be told."""
    import tensorflow as tf

    for tensor in tf.nest.flatten(batch):
        shape = getattr(tensor, "shape", None)
        if shape is not None and len(shape) and shape[0]:
            return int(shape[0])
    return 0


def leave(code: int) -> NoReturn:
    """End the process at once, as a signal would: the script must not go on."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
