"""`evaluate` and `predict`: where a batch does not fit, they are done again in smaller pieces.

Both begin with fresh metrics and leave no trace in the model, but for the states of recurrent
layers: these are put back. So they can be repeated whole.
"""

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from fitguard.contract.compiling import uses_xla
from fitguard.contract.libraries import Library
from fitguard.keras.fitting.out_of_memory import is_out_of_memory, let_go
from fitguard.keras.fitting.pieces import in_pieces
from fitguard.keras.fitting.replicas import count_replicas, rows_of
from fitguard.keras.fitting.step import leave
from fitguard.monitor.beats import Phase
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import REPLACE_ME, MicroBatchChosen
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.guarded_fits import GuardedFits

_KERAS_BATCH = 32
"""What Keras takes where no batch size is given."""


class GuardedEvaluation:
    """The guarded `evaluate` and `predict` of a process."""

    def __init__(self, fits: "GuardedFits") -> None:
        self._fits = fits
        self._session = fits.session
        self._rows: dict[str, int] = dict(fits.session.orders.evaluation_rows)

    def evaluate(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        """Metrics as of whole batches."""
        return self._wrap_guarded(original, "test_function")

    def predict(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        """Outputs as of whole batches."""
        return self._wrap_guarded(original, "predict_function")

    def wrap_batch_end(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        """`CallbackList.on_test_batch_end` and its like: the process is alive."""

        @functools.wraps(original)
        def on_batch_end(*args: Any, **kwargs: Any) -> Any:
            if self._session.is_here:
                self._session.heartbeat.note_alive()
            return original(*args, **kwargs)

        return on_batch_end

    def _wrap_guarded(self, original: Callable[..., Any], function: str) -> Callable[..., Any]:
        @functools.wraps(original)
        def call_guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._session.is_here:
                return original(model, *args, **kwargs)
            self._beat("evaluating")
            try:
                return self._call_until_fits(
                    functools.partial(original, model, *args, **kwargs), function
                )
            finally:
                if self._fits.outermost is None:
                    self._beat("idle")

        return call_guarded

    def _call_until_fits(self, call: functools.partial[Any], function: str) -> Any:
        """Whole, or in pieces that get smaller until they fit."""
        model = call.args[0]
        put_back = _copy_states(model)
        while True:
            try:
                with in_pieces(model, function, self._rows.get(self._key)):
                    return call()
            except Exception as error:
                if not is_out_of_memory(error):
                    raise
                failure = error
            given = inspect.signature(call.func).bind(*call.args, **call.keywords).arguments
            if not self._choose_smaller(model, failure, given):
                raise failure
            let_go(failure)
            put_back()

    @property
    def _place(self) -> Place:
        call = self._fits.outermost
        return call.place if call is not None else Place()

    @property
    def _key(self) -> str:
        return str(self._place.fit)

    def _beat(self, phase: Phase) -> None:
        place = self._place
        self._session.heartbeat.beat(phase, place.fit, place.epoch, place.step, place.total_steps)

    def _choose_smaller(self, model: Any, error: Exception, given: dict[str, Any]) -> bool:
        """Choose smaller pieces; False where there are none."""
        # TensorFlow must not be loaded before the script loads it.
        from fitguard.keras.microbatch import describe_inseparable

        if describe_inseparable(model) or not _is_repeatable(given.get("x")):
            return False
        of = -(-_batch_rows(given) // count_replicas(model))
        rows = self._rows.get(self._key, of)
        smaller = smaller_part(rows, of)
        if smaller is None:
            return False
        if uses_xla(model):
            self._be_replaced(error, rows, of)
        self._rows[self._key] = smaller
        self._session.record(
            MicroBatchChosen,
            fit=self._place.fit,
            rows=smaller,
            of=of,
            why=f"{rows} rows did not fit in evaluation or prediction",
            evaluation=True,
        )
        self._session.say(
            f"out of memory in evaluation or prediction: repeated with {smaller} rows at a time"
        )
        return True

    def _be_replaced(self, error: Exception, rows: int, of: int) -> NoReturn:
        self._session.record_failure(
            error,
            durable=True,
            kind="out-of-memory",
            place=self._place,
            mode="xla",
            rows=rows,
            of=of,
            evaluation=True,
        )
        self._fits.writer.wait()
        leave(REPLACE_ME)


def _copy_states(model: Any) -> Callable[[], None]:
    """What recurrent layers remember; the function that makes them remember it again."""
    from fitguard.keras.microbatch import list_states

    before = [(state, state.numpy()) for state in list_states(model)]

    def put_back() -> None:
        for state, value in before:
            state.assign(value)

    return put_back


def _batch_rows(given: dict[str, Any]) -> int:
    """Rows of a batch."""
    size = given.get("batch_size")
    if size:
        return int(size)
    x: Any = given.get("x")
    if hasattr(x, "element_spec"):
        return rows_of(x.element_spec) or rows_of(next(iter(x)))
    if hasattr(x, "__getitem__") and hasattr(x, "on_epoch_end"):
        return rows_of(x[0])
    return _KERAS_BATCH


def _is_repeatable(x: Any) -> bool:
    """A generator has given its batches away."""
    return not hasattr(x, "__next__")
