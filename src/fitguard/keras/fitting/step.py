"""Keras' train function, and what happens where it runs out of memory."""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of
from fitguard.keras.card import Card
from fitguard.keras.fitting.hidden_draws import describe_hidden_draws
from fitguard.keras.fitting.out_of_memory import is_out_of_memory
from fitguard.keras.fitting.planned_rows import plan_rows
from fitguard.keras.fitting.replicas import count_replicas, largest_share
from fitguard.keras.fitting.smaller_step import SmallerStep
from fitguard.keras.fitting.step_start import StepStart
from fitguard.keras.fitting.whole import Whole
from fitguard.keras.position import Ahead, DataPosition
from fitguard.keras.session import Session
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import INEXACT, LEFT_AS_ASKED, REPLACE_ME
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.first_rows import FirstRows


class GuardedStep:
    """Stands where Keras looks for its train function.

    Args:
        native: Keras' own; it is called as long as the batch fits.
        place: Says where the training is.
        position: Of its data; None before they are known.
        card: The memory that is here, if known.
        wait: Until all snapshots are on the disk.
        why_whole: Why this library cannot split batches at all; empty where it can.
        stepped: Called when the first step is done.
        may_retry: Whether this process may take a step again that did not fit.

    Attributes:
        smaller: Takes the step in less memory, once it did not fit.
        was_called: Whether Keras has called it at all.
        is_first: Whether the next step is the first that this function takes.
        last_logs: What the last step returned.
    """

    def __init__(
        self,
        model: Any,
        native: Callable[[Any], Any],
        session: Session,
        place: Callable[[], Place],
        position: Callable[[], DataPosition | None],
        card: Card | None,
        wait: Callable[[], object],
        why_whole: Callable[[], str] = str,
        stepped: Callable[[], None] = lambda: None,
        *,
        may_retry: bool = True,
    ) -> None:
        self._model = model
        self._native = native
        self._session = session
        self._place = place
        self._position = position
        self._card = card
        self._wait = wait
        self._stepped = stepped
        self._may_retry = may_retry
        self._ahead: Ahead | None = None
        self._held: list[Any] = []
        self._start: StepStart | None = None
        self._prepare: Callable[[], object] | None = None
        self.was_called = False
        self.is_first = True
        self.smaller = SmallerStep(model, session, lambda: place().fit, why_whole)
        self.last_logs: Any = None

    @property
    def native(self) -> Callable[[Any], Any]:
        """Keras' own train function."""
        return self._native

    def adopt(self, native: Callable[[Any], Any]) -> None:
        """A callback has made the train function anew: with other layers to be trained, perhaps."""
        self._native = native
        self.is_first = True
        self.smaller.renew()

    @property
    def needs_batches(self) -> bool:
        """Whether the next batches must be held before the step: Keras' own function does not take
        it, or it may be taken back.
        """
        return self.is_first or self.smaller.is_used

    def await_call(self, ahead: Ahead, prepare: Callable[[], object] | None = None) -> None:
        """Once Keras calls with these data, and not before, `prepare` takes the next batches."""
        self._ahead = ahead
        self._prepare = prepare

    def hold(self, batches: list[Any], ahead: Ahead) -> None:
        """The batches of the next call, and where they come from."""
        self._held = batches
        self.smaller.hold(batches, ahead.source.element_spec)

    def begin(self, first: "FirstRows", batch: Any) -> None:
        """Train in the way that was chosen before the first step.

        Args:
            batch: The first one, or the largest share of it.
        """
        smaller = self.smaller
        if first.share is not None and smaller.recompute(first.share, batch, first.why):
            return
        if first.rows is None:
            return
        whole, of = smaller.why_whole(first.rows), rows_of(batch)
        if whole is not None:
            share = first.rows / of
            if not first.is_remedy or not smaller.recompute(share, batch, first.why):
                smaller.keep_whole(whole)
            return
        smaller.split(first.rows)
        smaller.tell(first.rows, of, first.why)

    def __call__(self, iterator: Any) -> Any:
        self.was_called = True
        ahead = self._ahead
        if self.is_first and ahead is None:
            # A callback trains on data of its own, with train_on_batch.
            return self._native(iterator)
        if ahead is not None:
            if not ahead.is_for(iterator):
                return self._native(iterator)
            prepare, self._prepare = self._prepare, None
            if prepare is not None:
                prepare()
        if self.is_first and self._held:
            # Not between the steps: callbacks have set the learning rate of this one since.
            self._start = StepStart(self._model, data_draw=self._data_draw())
        logs = self._run_step(iterator if ahead is None else ahead)
        if self.is_first:
            self.is_first = False
            self._look_at_draws()
            self._stepped()
        self._held, self._start, self._ahead = [], None, None
        self.last_logs = logs
        return logs

    def _data_draw(self) -> bool:
        position = self._position()
        return position is not None and position.draws_random

    def _look_at_draws(self) -> None:
        library = library_of(self._model)
        hidden = describe_hidden_draws(self._native, library) if library is not None else ""
        if hidden:
            self._session.note(INEXACT, hidden, fit=self._place().fit)

    def _run_step(self, source: Any) -> Any:
        try:
            if self.smaller.can_take(self._held):
                return self.smaller.take(self._held)
            return self._native(source.iterator if isinstance(source, Ahead) else source)
        except Exception as error:
            if not is_out_of_memory(error):
                if not self._drop_unproven(error):
                    raise
                return self._run_step(source)
            failure = error
        return self._retry_smaller(failure)

    def _drop_unproven(self, error: Exception) -> bool:
        """Whether the step can be taken again without recomputation, which may have raised this."""
        start = self._start
        if start is None or not start.is_whole or not self.smaller.drop_unproven(error):
            return False
        start.put_back()
        return True

    def _retry_smaller(self, error: Exception) -> Any:
        """The same batch in less memory, until it fits."""
        while True:
            self._go_back(error)
            try:
                return self.smaller.take(self._held)
            except Exception as another:
                if is_out_of_memory(another):
                    error = another
                elif not self._drop_unproven(another):
                    raise

    def _go_back(self, error: Exception) -> None:
        """To the state before the step, to take it in less memory; or raise the error."""
        of, smaller = self._batch_rows(), self.smaller
        share = smaller.choose_share()
        rows = self._choose_rows(error, of) if share is None else None
        if share is None and rows is None:
            raise error
        start = self._start
        if uses_xla(self._model) or not self._may_retry or start is None or not start.is_whole:
            self._record(error, of, share)
            self._wait()
            leave(REPLACE_ME)
        # The traceback holds the tensors of the failed step.
        error.__traceback__ = None
        start.put_back()
        step = self._place().total_steps + 1
        self._session.say(f"out of memory at step {step}: the state is rolled back")
        why = "it did not fit into memory"
        if share is not None and smaller.recompute(share, self._held[0], why):
            return
        rows = rows or self._choose_rows(error, of)
        if rows is None:
            raise error
        self._split(rows, of, error)

    def _split(self, rows: int, of: int, error: Exception) -> None:
        """Only now is there memory for a trial. A process that is replaced tries when it begins."""
        smaller = self.smaller
        whole = smaller.why_whole(rows)
        if whole is None:
            failed = smaller.rows or of
            smaller.split(rows)
            smaller.tell(rows, of, f"{failed} rows do not fit into memory")
            return
        share, why = smaller.choose_share(), "it did not fit into memory"
        if share is None or not smaller.recompute(share, self._held[0], why):
            self._give_up(whole, error, of)
            raise error

    def _batch_rows(self) -> int:
        """Rows of the batch; 0 where nobody knows."""
        if self._held:
            return rows_of(self._held[0])
        position = self._position()
        whole = (position.batch_size if position is not None else None) or 0
        return -(-whole // count_replicas(self._model))

    def _choose_rows(self, error: Exception, of: int) -> int | None:
        """The next smaller micro-batch; None where there is none that gives the same result."""
        rows = smaller_part(self.smaller.rows or of, of) if of else 1
        whole = self.smaller.why_whole(rows or 1, trial=False)
        if whole is not None:
            self._give_up(whole, error, of)
            return None
        if rows is None:
            self._record(error, of)
            return None
        return min(rows, self._plan_rows(of) or rows)

    def _give_up(self, whole: Whole, error: Exception, of: int) -> None:
        """The parent must know that smaller parts are no remedy."""
        self.smaller.keep_whole(whole, fits=False)
        self._record(error, of)

    def _plan_rows(self, of: int) -> int | None:
        """What the planner thinks, where it is asked for the first time: each try costs 10 s."""
        card, self._card = self._card, None
        if card is None or not self._session.orders.plan or not self._held:
            return None
        plan = plan_rows(self._model, largest_share(self._held[0]), of, card)
        return plan.rows if plan is not None else None

    def _record(self, error: Exception, of: int, share: float | None = None) -> None:
        self._session.record_failure(
            error,
            durable=True,
            kind="out-of-memory",
            place=self._place(),
            mode="xla" if uses_xla(self._model) else "graph",
            rows=self.smaller.rows or of,
            of=of,
            recompute=share or 0.0,
        )


def rows_of(batch: Any) -> int:
    """Rows of a batch: the first dimension of its first tensor; 0 where it cannot be told.

    Of one that replicas share, the rows of the largest share.
    """
    import tensorflow as tf

    for tensor in tf.nest.flatten(largest_share(batch)):
        shape = getattr(tensor, "shape", None)
        if shape is not None and len(shape) and shape[0]:
            return int(shape[0])
    return 0


before_leaving: list[Callable[[], None]] = []
"""Called when the process leaves as it was asked to; the state of the training is in its memory."""


def leave(code: int) -> NoReturn:
    """End the process at once, as a signal would: the script must not go on."""
    for call in before_leaving if code == LEFT_AS_ASKED else ():
        call()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)
