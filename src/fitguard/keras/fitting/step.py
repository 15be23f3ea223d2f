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
from fitguard.keras.fitting.replicas import count_replicas, largest_share, starves
from fitguard.keras.fitting.step_start import StepStart
from fitguard.keras.fitting.whole import Whole, forbid_changes, list_known_changes, may_change
from fitguard.keras.position import Ahead, DataPosition
from fitguard.keras.session import Session
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import (
    INEXACT,
    LEFT_AS_ASKED,
    REPLACE_ME,
    MicroBatchChosen,
    NoteKind,
    NotSplit,
)
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.microbatch import MicroTrainStep


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
        rows: Of a micro-batch; None for whole batches.
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
        self._why_whole = why_whole
        self._stepped = stepped
        self._may_retry = may_retry
        self._ahead: Ahead | None = None
        self._held: list[Any] = []
        self._element_spec: Any = None
        self._start: StepStart | None = None
        self._micro: MicroTrainStep | None = None
        self._tried: list[str] = []
        self._whole: Whole | None = None
        self._prepare: Callable[[], object] | None = None
        self.was_called = False
        self.is_first = True
        self.rows: int | None = None
        self.last_logs: Any = None

    @property
    def native(self) -> Callable[[Any], Any]:
        """Keras' own train function."""
        return self._native

    def adopt(self, native: Callable[[Any], Any]) -> None:
        """A callback has made the train function anew: with other layers to be trained, perhaps."""
        self._native = native
        self._micro = None
        self._tried = []
        self.is_first = True
        if self.rows is None:
            return
        whole = self.why_whole(self.rows, trial=False)
        if whole is None:
            self.split(self.rows)
            return
        self.rows = None
        self.keep_whole(whole)

    def await_call(self, ahead: Ahead, prepare: Callable[[], object] | None = None) -> None:
        """Once Keras calls with these data, and not before, `prepare` takes the next batches."""
        self._ahead = ahead
        self._prepare = prepare

    def hold(self, batches: list[Any], ahead: Ahead) -> None:
        """The batches of the next call, and where they come from."""
        self._held = batches
        self._element_spec = ahead.source.element_spec

    def split(self, rows: int) -> None:
        """Train in micro-batches of so many rows from now on."""
        # TensorFlow must not be loaded before the script loads it.
        from fitguard.keras.microbatch import describe_batchwise

        self.rows = rows
        self._micro_step()
        for sentence in describe_batchwise(self._model):
            self._note("inexact", sentence)

    def _micro_step(self) -> "MicroTrainStep":
        from fitguard.keras.microbatch import MicroTrainStep

        if self._micro is None:
            self._micro = MicroTrainStep(self._model, element_spec=self._element_spec)
        return self._micro

    def why_whole(self, rows: int, *, trial: bool = True) -> Whole | None:
        """Why the batch must not be split into so many rows; None where it may be.

        Args:
            trial: Whether to try the step on a few rows: this finds what layers and losses do that
                fitguard does not know. It costs what the first split step would pay.
        """
        try:
            from fitguard.keras.microbatch import describe_unsupported

            why_not = self._why_whole() or describe_unsupported(self._model)
        except (ImportError, AttributeError) as error:
            why_not = f"fitguard does not know this Keras: {error}."
        if why_not:
            return Whole(why_not)
        orders = self._session.orders
        if may_change(orders):
            return None
        changes = list_known_changes(self._model, orders)
        if not changes and trial and self._held:
            self._try_rows(rows)
        return forbid_changes(changes or self._tried, orders)

    def _try_rows(self, rows: int) -> None:
        try:
            self._tried = self._micro_step().prepare(self._held[0], rows)
        except Exception as error:
            # The step will not fit either, and the trial comes again with fewer rows.
            if not is_out_of_memory(error):
                raise

    def keep_whole(self, whole: Whole, *, fits: bool = True) -> None:
        """The batch is not split: say so once, and let the parent know.

        Args:
            fits: False where the batch is known to be too large.
        """
        if whole == self._whole:
            return
        self._whole = whole
        short = "the batch is not split" if fits else "the batch does not fit, and is not split"
        self._note("micro-batch", f"{short}: {whole.text}")
        fit = self._place().fit
        self._session.record(NotSplit, fit=fit, why=whole.why, allow=whole.allow)

    def tell(self, rows: int, of: int, why: str) -> None:
        """Say that a batch of `of` rows, or what each replica has of it, is trained in parts."""
        fit, replicas = self._place().fit, count_replicas(self._model)
        self._session.record(MicroBatchChosen, fit=fit, rows=rows, of=of, why=why)
        whole = f"the batch of {of}"
        if replicas > 1:
            whole = f"what each of the {replicas} replicas has of the batch, up to {of} rows,"
        self._session.say(f"{whole} is trained in micro-batches of {rows}: {why}")

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
            self._note(INEXACT, hidden)

    def _run_step(self, source: Any) -> Any:
        try:
            if self.rows is not None and self._held and not starves(self._held):
                return self._in_parts(self.rows)
            return self._native(source.iterator if isinstance(source, Ahead) else source)
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            failure = error
        return self._retry_smaller(failure)

    def _in_parts(self, rows: int) -> Any:
        micro = self._micro_step()
        for batch in self._held:
            logs = micro(batch, rows)
            self._session.heartbeat.note_alive()
        for sentence in micro.notes:
            self._note(INEXACT, sentence)
        return logs

    def _retry_smaller(self, error: Exception) -> Any:
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
        of = self._batch_rows()
        smaller = self._choose_smaller(error, of)
        if smaller is None:
            raise error
        xla = uses_xla(self._model)
        if xla or not self._may_retry or self._start is None or not self._start.is_whole:
            self._record(error, of)
            self._wait()
            leave(REPLACE_ME)
        # The traceback holds the tensors of the failed step.
        error.__traceback__ = None
        self._start.put_back()
        # Only now is there memory for a trial. A process that is replaced tries when it begins.
        whole = self.why_whole(smaller)
        if whole is not None:
            self._give_up(whole, error, of)
            raise error
        failed = self.rows or of
        self.split(smaller)
        step = self._place().total_steps + 1
        self._session.say(f"out of memory at step {step}: the state is rolled back")
        self.tell(smaller, of, f"{failed} rows do not fit into memory")

    def _batch_rows(self) -> int:
        """Rows of the batch; 0 where nobody knows."""
        if self._held:
            return rows_of(self._held[0])
        position = self._position()
        whole = (position.batch_size if position is not None else None) or 0
        return -(-whole // count_replicas(self._model))

    def _choose_smaller(self, error: Exception, of: int) -> int | None:
        """The next smaller micro-batch; None where there is none that gives the same result."""
        smaller = smaller_part(self.rows or of, of) if of else 1
        whole = self.why_whole(smaller or 1, trial=False)
        if whole is not None:
            self._give_up(whole, error, of)
            return None
        if smaller is None:
            self._record(error, of)
            return None
        return min(smaller, self._plan_rows(of) or smaller)

    def _give_up(self, whole: Whole, error: Exception, of: int) -> None:
        """The parent must know that smaller parts are no remedy."""
        self.keep_whole(whole, fits=False)
        self._record(error, of)

    def _plan_rows(self, of: int) -> int | None:
        """What the planner thinks, where it is asked for the first time: each try costs 10 s."""
        card, self._card = self._card, None
        if card is None or not self._session.orders.plan or not self._held:
            return None
        plan = plan_rows(self._model, largest_share(self._held[0]), of, card)
        return plan.rows if plan is not None else None

    def _note(self, kind: NoteKind, sentence: str) -> None:
        self._session.note(kind, sentence, fit=self._place().fit)

    def _record(self, error: Exception, of: int) -> None:
        self._session.record_failure(
            error,
            durable=True,
            kind="out-of-memory",
            place=self._place(),
            mode="xla" if uses_xla(self._model) else "graph",
            rows=self.rows or of,
            of=of,
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
