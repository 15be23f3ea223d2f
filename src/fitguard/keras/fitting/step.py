"""Keras' train function, and what happens where it runs out of memory."""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from fitguard.keras.fitting.card import Card
from fitguard.keras.fitting.hidden_draws import hidden_draws
from fitguard.keras.fitting.out_of_memory import is_out_of_memory, uses_xla
from fitguard.keras.fitting.planned_rows import planned_rows
from fitguard.keras.fitting.recording import has_more, put_back
from fitguard.keras.session import Session, shortened
from fitguard.keras.snapshots.content import Content
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import REPLACE_ME, Failed, MicroBatchChosen
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.microbatch import MicroTrainStep


class GuardedStep:
    """Stands where Keras looks for its train function.

    Args:
        native: Keras' own; it is called as long as the batch fits.
        place: Says where the training is.
        callbacks: Of the `fit` call.
        batch_size: As far as the data tell it; 0 where they do not.
        card: The memory that is here, if known.

    Attributes:
        rows: Of a micro-batch; None for whole batches.
        last_logs: What the last step returned.
    """

    def __init__(
        self,
        model: Any,
        native: Callable[[Any], Any],
        session: Session,
        place: Callable[[], Place],
        callbacks: Callable[[], list[Any]],
        batch_size: Callable[[], int],
        card: Card | None,
    ) -> None:
        self._model = model
        self._native = native
        self._session = session
        self._place = place
        self._callbacks = callbacks
        self._batch_size = batch_size
        self._card = card
        self._held: list[Any] = []
        self._element_spec: Any = None
        self._point: Content | None = None
        self._micro: MicroTrainStep | None = None
        self._is_first = True
        self.rows: int | None = None
        self.last_logs: Any = None

    @property
    def native(self) -> Callable[[Any], Any]:
        """Keras' own train function."""
        return self._native

    def hold(self, batches: list[Any], element_spec: Any) -> None:
        """The batches of the next call, and how the data describe them."""
        self._held = batches
        self._element_spec = element_spec

    def keep(self, point: Content) -> None:
        """The state before the next call."""
        self._point = point

    def split(self, rows: int) -> None:
        """Train in micro-batches of so many rows from now on."""
        # TensorFlow must not be loaded before the script loads it.
        from fitguard.keras.microbatch import MicroTrainStep, batchwise

        self.rows = rows
        if self._micro is None:
            self._micro = MicroTrainStep(self._model, element_spec=self._element_spec)
            for sentence in batchwise(self._model):
                self._note("inexact", sentence)

    def tell(self, rows: int, of: int, why: str) -> None:
        """Say that a batch of `of` rows is trained in parts, and why."""
        fit = self._place().fit
        self._session.record(MicroBatchChosen, fit=fit, rows=rows, of=of, why=why)
        self._session.say(f"the batch of {of} is trained in micro-batches of {rows}: {why}")

    def __call__(self, iterator: Any) -> Any:
        logs = self._trained(iterator)
        if self._is_first:
            self._look_at_draws()
        self._held, self._point = [], None
        self.last_logs = logs
        return logs

    def _look_at_draws(self) -> None:
        self._is_first = False
        hidden = hidden_draws(self._native)
        if hidden:
            self._note("inexact", hidden)

    def _trained(self, iterator: Any) -> Any:
        try:
            if self.rows is not None and self._held:
                return self._in_parts(self.rows)
            return self._native(iterator)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            failure = error
        return self._again(failure)

    def _in_parts(self, rows: int) -> Any:
        assert self._micro is not None
        for batch in self._held:
            logs = self._micro(batch, rows)
            self._session.heartbeat.alive()
        for sentence in self._micro.notes:
            self._note("inexact", sentence)
        return logs

    def _again(self, error: Exception) -> Any:
        """The same batch in smaller parts, until it fits."""
        while True:
            self._go_back(error)
            assert self.rows is not None
            try:
                return self._in_parts(self.rows)
            except Exception as another:
                if not is_out_of_memory(another):
                    raise
                error = another

    def _go_back(self, error: Exception) -> None:
        """To the state before the step, with a smaller micro-batch; or raise the error."""
        of = rows_of(self._held[0]) if self._held else self._batch_size()
        smaller = self._smaller(error, of)
        if smaller is None:
            raise error
        xla = uses_xla(self._model)
        if xla or self._point is None or not self._held or has_more(self._model, self._point):
            self._record(error, of, "xla" if xla else "graph")
            leave(REPLACE_ME)
        # The traceback holds the tensors of the failed step.
        error.__traceback__ = None
        put_back(self._point, self._model, self._callbacks())
        failed = self.rows or of
        self.split(smaller)
        step = self._place().total_steps + 1
        self._session.say(f"out of memory at step {step}: the state is rolled back")
        self.tell(smaller, of, f"{failed} rows do not fit into memory")

    def _smaller(self, error: Exception, of: int) -> int | None:
        """The next smaller micro-batch; None where there is none that gives the same result."""
        why_not = self._why_whole()
        if why_not:
            self._note("micro-batch", f"the batch does not fit, and is not split: {why_not}")
            return None
        smaller = smaller_part(self.rows or of, of) if of else 1
        if smaller is None:
            self._record(error, of, "graph")
            return None
        return min(smaller, self._planned(of) or smaller)

    def _why_whole(self) -> str:
        """Why the batch must not be split; empty where it may."""
        from fitguard.keras.microbatch import batchwise, unsupported

        why_not = unsupported(self._model)
        if not why_not and self._session.orders.exact_only:
            changes = batchwise(self._model)
            why_not = f"--exact-only was given. {changes[0]}" if changes else ""
        return why_not

    def _planned(self, of: int) -> int | None:
        """What the planner thinks, where it is asked for the first time: each try costs 10 s."""
        card, self._card = self._card, None
        if card is None or not self._session.orders.plan or not self._held:
            return None
        plan = planned_rows(self._model, self._held[0], of, card)
        return plan.rows if plan is not None else None

    def _note(self, kind: str, sentence: str) -> None:
        self._session.note(kind, sentence, fit=self._place().fit)

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
