"""Keras' train function, and what happens where it runs out of memory."""

import contextlib
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import library_of
from fitguard.contract.memory_limit import list_limits
from fitguard.keras.card import Card
from fitguard.keras.fitting.growing import Growing
from fitguard.keras.fitting.hidden_draws import describe_hidden_draws
from fitguard.keras.fitting.out_of_memory import is_out_of_memory, let_go
from fitguard.keras.fitting.planned_rows import PlannedRows, plan_rows
from fitguard.keras.fitting.replicas import (
    count_numbers,
    count_replicas,
    largest_share,
    rows_of,
)
from fitguard.keras.fitting.shortage import describe_no_room, find_state_shortage
from fitguard.keras.fitting.smaller_step import SmallerStep
from fitguard.keras.fitting.step_start import StepStart
from fitguard.keras.fitting.whole import Whole
from fitguard.keras.lone_session import LoneSession
from fitguard.keras.position import Ahead, DataPosition
from fitguard.keras.session import Session
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import INEXACT, LEFT_AS_ASKED, REPLACE_ME, NoRoom
from fitguard.schema.run import Place
from fitguard.schema.ways import Way

if TYPE_CHECKING:
    from fitguard.keras.fitting.first_rows import FirstRows


_WHY = "it did not fit into memory"
_UNPROVEN_STEPS = 3
"""So many steps in a new way can be taken back: how much fits depends on the order of threads."""


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
        may_leave: Whether somebody starts it anew where it ends.
        start: Keeps what a step may change; None for all that belongs to the model.

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
        session: Session | LoneSession,
        place: Callable[[], Place],
        position: Callable[[], DataPosition | None],
        card: Card | None,
        wait: Callable[[], object],
        why_whole: Callable[[], str] = str,
        stepped: Callable[[], None] = lambda: None,
        *,
        may_retry: bool = True,
        may_leave: bool = True,
        start: Callable[[], StepStart] | None = None,
    ) -> None:
        self._model = model
        self._native = native
        self._session = session
        self._place = place
        self._position = position
        self._card = self._memory = card
        self._growing = Growing(card)
        self._wait = wait
        self._stepped = stepped
        self._may_retry = may_retry
        self._may_leave = may_leave
        self._take_start = start or self._start_of_model
        self._ahead: Ahead | None = None
        self._held: list[Any] = []
        self._start: StepStart | None = None
        self._prepare: Callable[[], object] | None = None
        self._unproven = 0
        self._largest, self._rows_seen, self._is_larger = -1, 0, False
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
        numbers = max(map(count_numbers, batches))
        self._is_larger, self._largest = numbers > self._largest, max(numbers, self._largest)
        self._rows_seen = max(self._rows_seen, rows_of(batches[0]))
        self.smaller.hold(batches, ahead.source.element_spec)

    def begin(self, first: "FirstRows", batch: Any) -> None:
        """Train in the way that was chosen before the first step.

        Args:
            batch: The first one.
        """
        smaller, of, share = self.smaller, rows_of(batch), first.share
        if first.rows is not None or share is not None:
            self._growing.note_shrunk()
        whole = smaller.why_whole(first.rows) if first.rows is not None else None
        if first.rows is not None and whole is None:
            smaller.split(first.rows, share)
            (smaller.tell if first.rows < of else smaller.tell_of_larger)(first.rows, of, first.why)
            return
        if first.is_remedy and first.rows is not None:
            # How much larger later batches are than a short one, nobody knows.
            share = (share or 1.0) * (first.rows / of if first.rows < of else 0.5)
        recomputes = share is not None and smaller.recompute(share, batch, first.why)
        if whole is not None and not recomputes:
            smaller.keep_whole(whole)

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
        if self._held and (self.is_first or self._grow() or self._is_new_to_it()):
            # Not between the steps: callbacks have set the learning rate of this one since.
            self._start = self._take_start()
        logs = self._run_step(iterator if ahead is None else ahead)
        self._unproven = max(0, self._unproven - 1)
        if self.is_first:
            self.is_first = False
            self._look_at_draws()
            self._stepped()
        self._held, self._start, self._ahead = [], None, None
        self.last_logs = logs
        return logs

    def _is_new_to_it(self) -> bool:
        """Whether a step in less memory has yet to show that batches of this size fit."""
        return self._is_larger or self._unproven > 0

    def _grow(self) -> bool:
        """At the beginning of an epoch: larger parts, where memory has become free."""
        smaller, place = self.smaller, self._place()
        if not smaller.is_used or not self._session.orders.plan:
            return False
        card = self._growing.find_more(place.epoch, largest_share(self._held[0]))
        if card is None:
            return False
        of, why = self._batch_rows(), "memory has become free"
        plan = self._plan_for(card, of)
        if plan is None:
            return False
        way = plan.way
        if way is None and plan.whole_fits is not False:
            smaller.stop()
            smaller.tell(of, of, why)
        elif way is not None and way.rows is not None and way.rows > (smaller.rows or of):
            smaller.split(way.rows, way.share)
            smaller.tell(way.rows, of, why)
        else:
            return False
        return True

    def _start_of_model(self) -> StepStart:
        position = self._position()
        draws = position is not None and position.draws_random
        return StepStart(self._model, data_draw=draws)

    def _look_at_draws(self) -> None:
        library = library_of(self._model)
        hidden = describe_hidden_draws(self._native, library) if library is not None else ""
        if hidden:
            self._session.note(INEXACT, hidden, fit=self._place().fit)

    def _run_step(self, source: Any) -> Any:
        try:
            if self._held and self.smaller.can_take(self._held):
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
        if find_state_shortage(self._model, self._memory) is not None:
            # Neither smaller parts nor recomputation help.
            self._end(error, of, 1)
            raise error
        way = self._choose_way(error, of)
        start = self._start if self._may_retry and not uses_xla(self._model) else None
        if start is None or not start.is_whole:
            if way is None or not self._may_leave:
                raise error
            self._record(error, of, way.share if way.rows is None else None)
            self._wait()
            leave(REPLACE_ME)
        let_go(error)
        start.put_back()
        if way is None:
            raise error
        self._unproven = _UNPROVEN_STEPS
        self._growing.note_shrunk()
        step = self._place().total_steps + 1
        self._session.say(f"out of memory at step {step}: the state is rolled back")
        if way.rows is None:
            if way.share is not None and smaller.recompute(way.share, self._held[0], _WHY):
                return
            rows = self._choose_rows(error, of)
            if rows is None:
                raise error
            way = Way(rows=rows)
        self._split(way, of, error)

    def _choose_way(self, error: Exception, of: int) -> Way | None:
        """How the step is taken next; None where nothing is left, which is written down then."""
        smaller = self.smaller
        share = smaller.choose_share()
        if share is not None:
            return Way(share=share)
        # XLA leaves variables behind that must not be touched any more: to plan writes some.
        planned = None if smaller.is_used or uses_xla(self._model) else self._plan(of)
        if planned is not None and planned.share is not None:
            return planned
        if smaller.rows == 1 and (share := smaller.choose_part_share()) is not None:
            return Way(rows=1, share=share)
        rows = self._choose_rows(error, of, planned)
        share = smaller.share if smaller.rows is not None else None
        return None if rows is None else Way(rows=rows, share=share)

    def _split(self, way: Way, of: int, error: Exception) -> None:
        """Only now is there memory for a trial. A process that is replaced tries when it begins."""
        smaller, rows = self.smaller, way.rows
        assert rows is not None
        whole = smaller.why_whole(rows)
        if whole is None:
            failed = smaller.rows or of
            smaller.split(rows, way.share)
            smaller.tell(rows, of, f"{failed} rows do not fit into memory")
            return
        share = smaller.choose_share()
        if share is None or not smaller.recompute(share, self._held[0], _WHY):
            self._give_up(whole, error, of)
            raise error

    def _batch_rows(self) -> int:
        """Rows of the batch; of the largest one so far where it was not held, 0 without one."""
        if self._held:
            return rows_of(self._held[0])
        position = self._position()
        whole = (position.batch_size if position is not None else None) or 0
        return -(-whole // count_replicas(self._model)) or self._rows_seen

    def _choose_rows(self, error: Exception, of: int, planned: Way | None = None) -> int | None:
        """The next smaller micro-batch; None where there is none that gives the same result."""
        rows = smaller_part(self.smaller.rows or of, of) if of else 1
        whole = self.smaller.why_whole(rows or 1, trial=False)
        if whole is not None:
            self._give_up(whole, error, of)
            return None
        if rows is None:
            self._end(error, of, 1)
            return None
        return planned.rows if planned is not None and planned.rows is not None else rows

    def _give_up(self, whole: Whole, error: Exception, of: int) -> None:
        """The parent must know that smaller parts are no remedy."""
        self.smaller.keep_whole(whole, fits=False)
        self._end(error, of, of)

    def _end(self, error: Exception, of: int, rows: int) -> None:
        """Nothing is left to try, not with so few rows: say which part is too large."""
        self._record(error, of)
        card, batch = self._memory, self._held[0] if self._held else None
        if card is None or batch is None:
            return
        text = describe_no_room(
            self._model,
            largest_share(batch),
            of,
            rows,
            card,
            plan=self._session.orders.plan,
            recomputed=self.smaller.reached,
        )
        if text:
            self._session.record(NoRoom, fit=self._place().fit, text=text)

    def _plan(self, of: int) -> Way | None:
        """What the planner thinks, where it is asked for the first time: each try costs 10 s."""
        card, self._card = self._card, None
        if card is None or not self._session.orders.plan or not self._held:
            return None
        plan = self._plan_for(card, of)
        return plan.way if plan is not None else None

    def _plan_for(self, card: Card, of: int) -> PlannedRows | None:
        smaller, batch = self.smaller, largest_share(self._held[0])
        split, recompute = smaller.may_split(), smaller.may_recompute()
        return plan_rows(self._model, batch, of, card, split=split, recompute=recompute)

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
            limited=bool(list_limits()),
        )


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
