"""A step of a loop of the user's own, which goes on in less memory where it does not fit."""

import contextlib
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from fitguard.keras.fitting.first_rows import FirstRows
from fitguard.keras.fitting.replicas import rows_of
from fitguard.keras.fitting.step import GuardedStep
from fitguard.keras.fitting.step_start import StepStart
from fitguard.keras.lone_session import LoneSession
from fitguard.keras.microbatch import Arguments, as_model
from fitguard.keras.position import Ahead
from fitguard.keras.session import Session
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import EVERY_FIT, MicroBatchChosen, RecomputationChosen
from fitguard.schema.run import Place

_AS_BEFORE = "as before it started again"


@dataclass(frozen=True)
class _Call:
    """Stands for the data of a `fit`: one call of the function."""

    given: tuple[Any, ...]
    named: dict[str, Any]
    element_spec: None = None


class GuardedFunction:
    """Calls the function, as long as it fits into memory.

    A call with more data than any before can be taken back. Where a later one does not fit, the
    process is replaced under `fitguard run`.

    Args:
        function: A `tf.function`.
        objects: All that the step changes, by name; `model` and `optimizer` among them.
        place: Says where the loop is.
        wait: Until all snapshots are on the disk.
        may_retry: Whether this process may take a step again that did not fit.
    """

    def __init__(
        self,
        function: Any,
        objects: dict[str, Any],
        optimizer: Any,
        session: Session | LoneSession,
        place: Callable[[], Place],
        wait: Callable[[], object] = lambda: None,
        *,
        may_retry: bool = True,
    ) -> None:
        self._function = function
        self._objects = objects
        self._optimizer = optimizer
        self._session = session
        self._place = place
        self._wait = wait
        self._may_retry = may_retry
        self._steps: dict[Any, GuardedStep] = {}
        self._captured: dict[int, Any] = {}
        self._largest = -1

    def __call__(self, *given: Any, **named: Any) -> Any:
        if not tf.executing_eagerly():
            raise UsageError(
                "Received a call of a guarded step from inside of a tf.function. Expected: a call "
                "from Python. Guard the outer function instead."
            )
        arguments, call = Arguments(given, named), _Call(given, named)
        is_larger = arguments.numbers > self._largest
        if is_larger:
            self._largest = arguments.numbers
            self._trace(call)
        ahead = Ahead(contextlib.nullcontext(), lambda: None)
        ahead.point_at(call, 1)
        step = self._find(arguments, ahead)
        step.hold([arguments.tensors], ahead)
        step.is_first = is_larger
        step.await_call(ahead)
        return step(call)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """As a method, it gets its object first."""
        return self if instance is None else functools.partial(self, instance)

    def _trace(self, call: _Call) -> None:
        """Make all variables that the step makes, and see which it uses; the trace is kept."""
        traced = self._function.get_concrete_function(*call.given, **call.named)
        self._captured |= {id(variable): variable for variable in traced.variables}

    def _find(self, arguments: Arguments, ahead: Ahead) -> GuardedStep:
        """The step for arguments that differ from these in their tensors only."""
        if arguments.key not in self._steps:
            step = self._make(arguments)
            self._steps[arguments.key] = step
            first = self._find_first(rows_of(arguments.tensors))
            if first.rows is not None or first.share is not None:
                step.hold([arguments.tensors], ahead)
                step.begin(first, arguments.tensors)
        return self._steps[arguments.key]

    def _make(self, arguments: Arguments) -> GuardedStep:
        function = self._function
        model = as_model(function, arguments, self._objects["model"], self._optimizer)
        step = GuardedStep(
            model,
            lambda call: function(*call.given, **call.named),
            self._session,
            self._place,
            position=lambda: None,
            card=None,
            wait=self._wait,
            why_whole=arguments.describe_no_rows,
            may_retry=self._may_retry,
            may_leave=isinstance(self._session, Session),
            start=lambda: StepStart(
                {**self._objects, "captured": list(self._captured.values())}, data_draw=True
            ),
        )
        step.smaller.whole_first = True
        return step

    def _find_first(self, of: int) -> FirstRows:
        """How the first step of `of` rows is taken: as in this run before, or as ordered."""
        fit, orders = self._place().fit, self._session.orders
        remedy, share = orders.micro_batches.get(str(fit)), orders.recompute.get(str(fit))
        rows = remedy or orders.micro_batches.get(EVERY_FIT)
        chosen = [
            event
            for event in self._session.events()
            if isinstance(event, MicroBatchChosen | RecomputationChosen) and event.fit == fit
        ]
        last, why = (chosen[-1] if chosen else None), "as ordered"
        if isinstance(last, MicroBatchChosen):
            rows, share, why = min(rows or last.rows, last.rows), last.share, _AS_BEFORE
        elif last is not None and rows is None and share is None:
            share = last.wanted
        if share is not None and why != _AS_BEFORE:
            why = "it did not fit into memory"
        # The first call may be a short one: those that did not fit come later.
        is_needed = remedy is not None or why == _AS_BEFORE
        rows = rows if rows is not None and (rows < of or is_needed) else None
        return FirstRows(rows, why, share, is_remedy=remedy is not None)
