"""`evaluate` and `predict`: where a batch does not fit, they are done again in smaller pieces.

Both begin with fresh metrics and leave no trace in the model, so that they can be repeated whole.
"""

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from fitguard.keras.fitting.out_of_memory import is_out_of_memory, uses_xla
from fitguard.keras.fitting.step import leave, rows_of
from fitguard.keras.session import shortened
from fitguard.schema.batch_parts import smaller_part
from fitguard.schema.journal import REPLACE_ME, Failed, MicroBatchChosen
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.guarded_fits import GuardedFits

Split = Callable[[Any, int], Any]
"""Works on a batch, so many rows at a time."""

_KERAS_BATCH = 32
"""What Keras takes where no batch size is given."""


class GuardedEvaluation:
    """The guarded `evaluate` and `predict` of a process."""

    def __init__(self, fits: "GuardedFits") -> None:
        self._fits = fits
        self._session = fits.session
        self._rows: dict[str, int] = dict(fits.session.orders.evaluation_rows)

    def evaluate(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Metrics as of whole batches."""
        return self._guarded(original, "test_function", _split_evaluation)

    def predict(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Outputs as of whole batches."""
        return self._guarded(original, "predict_function", _split_prediction)

    def _guarded(
        self,
        original: Callable[..., Any],
        function: str,
        split: Callable[[Any], Split],
    ) -> Callable[..., Any]:
        @functools.wraps(original)
        def guarded(model: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._session.is_here:
                return original(model, *args, **kwargs)
            self._beat()
            while True:
                try:
                    with _in_pieces(model, function, split, self._rows.get(self._key)):
                        return original(model, *args, **kwargs)
                except Exception as error:
                    if not is_out_of_memory(error):
                        raise
                    given = inspect.signature(original).bind(model, *args, **kwargs).arguments
                    if not self._smaller(model, error, given):
                        raise
                    # The traceback holds the tensors that did not fit.
                    error.__traceback__ = None

        return guarded

    @property
    def _place(self) -> Place:
        call = self._fits.current
        return call.place if call is not None else Place()

    @property
    def _key(self) -> str:
        return str(self._place.fit)

    def _beat(self) -> None:
        place = self._place
        self._session.heartbeat.beat(
            "evaluating", place.fit, place.epoch, place.step, place.total_steps
        )

    def _smaller(self, model: Any, error: Exception, given: dict[str, Any]) -> bool:
        """Choose smaller pieces; False where there are none."""
        of = _batch_rows(given)
        rows = self._rows.get(self._key, of)
        smaller = smaller_part(rows, of)
        if smaller is None or not _is_repeatable(given.get("x")):
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
        self._session.record(
            Failed,
            durable=True,
            kind="out-of-memory",
            place=self._place,
            error=shortened(error),
            mode="xla",
            rows=rows,
            of=of,
            evaluation=True,
        )
        leave(REPLACE_ME)


@contextlib.contextmanager
def _in_pieces(
    model: Any,
    function: str,
    split: Callable[[Any], Split],
    rows: int | None,
) -> Iterator[None]:
    """Keras finds a function in the place of its own that takes so many rows at a time."""
    if rows is None:
        yield
        return
    native = getattr(model, function)
    setattr(model, function, _Pieces(split(model), rows))
    try:
        yield
    finally:
        setattr(model, function, native)


def _split_evaluation(model: Any) -> Split:
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import split_evaluation

    return split_evaluation(model)


def _split_prediction(model: Any) -> Split:
    from fitguard.keras.microbatch import split_prediction

    return split_prediction(model)


class _Pieces:
    def __init__(self, split: Split, rows: int) -> None:
        self._split = split
        self._rows = rows

    def __call__(self, data: Any) -> Any:
        """Keras 3 gives `predict` a list of batches; all others give an iterator."""
        batch = data[0] if isinstance(data, list) else next(data)
        return self._split(batch, self._rows)


def _batch_rows(given: dict[str, Any]) -> int:
    """Rows of a batch."""
    size = given.get("batch_size")
    if size:
        return int(size)
    x: Any = given.get("x")
    if hasattr(x, "element_spec"):
        return rows_of(next(iter(x)))
    if hasattr(x, "__getitem__") and hasattr(x, "num_batches"):
        return rows_of(x[0])
    return _KERAS_BATCH


def _is_repeatable(x: Any) -> bool:
    """A generator has given its batches away."""
    return not hasattr(x, "__next__")
