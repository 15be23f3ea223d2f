"""`train_on_batch` in a loop of the user's own: what does not fit is trained in less memory."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fitguard.contract.libraries import Library
from fitguard.inputs.models.together import describe_unguarded
from fitguard.keras.fitting.first_choice import FirstChoice
from fitguard.keras.fitting.replicas import count_replicas
from fitguard.keras.fitting.step import GuardedStep
from fitguard.keras.fitting.step_start import StepStart
from fitguard.keras.position import Ahead, iterator_over
from fitguard.keras.traced import trace
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.guarded_fits import GuardedFits

_KNOWN = "_fitguard_on_batch"


class GuardedOnBatch:
    """The `train_on_batch` of all models of a process, outside of a `fit`."""

    def __init__(self, fits: "GuardedFits") -> None:
        self._fits = fits

    def follow(self, model: Any, library: Library, place: Callable[[], Place]) -> None:
        """A `Guard` keeps the loop of this model: it can go on in a new process."""
        # Not by `setattr`, which looks for variables in it.
        vars(model)[_KNOWN] = _Steps(self._fits, library, model, place)

    def wrap(self, original: Callable[..., Any], library: Library) -> Callable[..., Any]:
        """The guarded `train_on_batch`."""

        @functools.wraps(original)
        def train_on_batch(model: Any, *args: Any, **kwargs: Any) -> Any:
            if not self._is_ours(model):
                return original(model, *args, **kwargs)
            with self._steps_of(model, library).taking(args, kwargs):
                return original(model, *args, **kwargs)

        return train_on_batch

    def _is_ours(self, model: Any) -> bool:
        """Not in a `fit`, and not where each replica has a share of the batch."""
        if not self._fits.session.is_here or self._fits.is_inside:
            return False
        is_compiled = getattr(model, "optimizer", None) is not None
        return is_compiled and count_replicas(model) == 1 and not describe_unguarded(model)

    def _steps_of(self, model: Any, library: Library) -> "_Steps":
        known: _Steps | None = vars(model).get(_KNOWN)
        if known is None or known.fits is not self._fits:
            known = vars(model)[_KNOWN] = _Steps(self._fits, library, model, None)
        return known


@dataclass(frozen=True)
class _Given:
    """Stands for the data of a `fit`: one batch."""

    batch: Any
    iterator: Any
    element_spec: None = None

    def again(self) -> Any:
        """An iterator over it, of the kind that Keras has made."""
        return iterator_over([self.batch], self.iterator)


class _Steps:
    """Those of one model.

    A call with more data than any before can be taken back. Where a later one does not fit, the
    process is replaced, if a `Guard` keeps the loop.
    """

    def __init__(
        self, fits: "GuardedFits", library: Library, model: Any, place: Callable[[], Place] | None
    ) -> None:
        self.fits = fits
        self._model = model
        self._library = library
        self._place = place or (lambda: Place(step=self._done, total_steps=self._done))
        self._may_leave = place is not None
        self._done = 0
        self._step: GuardedStep | None = None
        self._native: Any = None
        self._prepared_for: Any = None
        self._largest = -1

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy of the model has no such steps."""
        return type(None), ()

    @contextlib.contextmanager
    def taking(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
        """Meanwhile Keras finds our train function."""
        from fitguard.keras.microbatch import Arguments

        model = self._model
        model.make_train_function()
        native, numbers = model.train_function, Arguments(args, kwargs).numbers
        step = self._follow(native)
        is_larger = numbers > self._largest
        self._largest = max(numbers, self._largest)
        step.is_first = step.is_first or is_larger
        take = functools.partial(self._take, step) if step.needs_batches else native
        model.train_function = take
        try:
            yield
            self._done += 1
        finally:
            if model.train_function is take:
                model.train_function = native

    def _follow(self, native: Any) -> GuardedStep:
        """The step around Keras' own function, which is another one for a model that was compiled
        anew.
        """
        if self._step is None:
            self._step = self._make()
        if self._native is not native:
            self._native = native
            self._step.adopt(lambda given: native(given.again()))
        return self._step

    def _make(self) -> GuardedStep:
        fits, model = self.fits, self._model
        return GuardedStep(
            model,
            lambda given: given,
            fits.session,
            self._place,
            position=lambda: None,
            card=fits.card,
            wait=fits.writer.wait,
            why_whole=lambda: fits.assurance.why_whole(self._library),
            may_retry=fits.company.may_retry,
            may_leave=self._may_leave,
            start=lambda: StepStart(model, data_draw=True),
        )

    def _take(self, step: GuardedStep, iterator: Any) -> Any:
        batch = _without_none(next(iterator))
        given = _Given(batch, iterator)
        ahead = Ahead(contextlib.nullcontext(), lambda: None)
        ahead.point_at(given, 1)
        step.hold([batch], ahead)
        if self._prepared_for is not self._native:
            self._prepared_for = self._native
            self._make_variables(given)
            orders = self.fits.session.orders
            FirstChoice(orders, self._place().fit, self._model, self.fits.card).make(step, batch)
        step.await_call(ahead)
        return step(given)

    def _make_variables(self, given: _Given) -> None:
        """A step that is taken back must find all variables that it may change."""
        import tensorflow as tf

        if self._library.generation == 2:
            trace(self._native, given.again())
        elif not self._model.run_eagerly:
            # Keras 3 compiles another function for each kind of iterator.
            step = tf.function(self._model.train_step, autograph=False)
            step.get_concrete_function(given.batch)


def _without_none(batch: Any) -> Any:
    """Keras 3 gives labels and weights that are not there, too."""
    import tensorflow as tf

    given = list(batch) if isinstance(batch, tuple) else [batch]
    while len(given) > 1 and given[-1] is None:
        given.pop()
    kept = (type(None), tf.RaggedTensor, tf.SparseTensor)
    return tf.nest.map_structure(
        lambda leaf: leaf if isinstance(leaf, kept) else tf.convert_to_tensor(leaf), tuple(given)
    )
