"""One guarded `fit` call: resume, snapshots between steps, the end."""

import inspect
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fitguard.keras.fitting import ending
from fitguard.keras.fitting.first_rows import first_rows
from fitguard.keras.fitting.recording import model_arrays, place_of, put_back, recorded
from fitguard.keras.fitting.remembered import Memory
from fitguard.keras.fitting.step import GuardedStep, leave, rows_of
from fitguard.keras.position import Ahead, DataPosition, fingerprint
from fitguard.keras.session import shortened
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.callbacks import unsaved
from fitguard.keras.state.variables import ModelState
from fitguard.schema.journal import LEFT_AS_ASKED, Failed, FitBegan, FitEnded
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.guarded_fits import GuardedFits


class GuardedCall:
    """A `fit` call.

    Keras' own `fit` runs inside of it. Between two steps, Keras asks for the next batch, and gets
    it through `between`:

        fit begins
            # resumed: in the epoch, and behind the batches, of the snapshot
            for epoch:
                for batch:
                    between()          # <- restore (once), heartbeat, snapshot, leave
                    on_train_batch_begin
                    train function     # <- GuardedStep: out of memory
                    on_train_batch_end
                validation
                on_epoch_end           # <- logs into the journal
        fit ends                       # <- the end is kept: it is not trained again

    Args:
        number: Of the call, from 1.
        library: `keras` or `tf_keras`.
    """

    def __init__(self, fits: "GuardedFits", number: int, library: str, model: Any) -> None:
        self._fits = fits
        self._session = fits.session
        self._number = number
        self._library = library
        self._model = model
        self._callbacks: list[Any] = []
        self._resumed: Content | None = None
        self._begun = False
        self._step: GuardedStep | None = None
        self._arguments: dict[str, Any] = {}
        self._memory: Memory | None = None
        self.place = Place(fit=number)
        self.position: DataPosition | None = None

    def run(
        self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Train, from where the run was; or not at all, where this call has ended before."""
        bound = inspect.signature(original).bind(self._model, *args, **kwargs).arguments
        self._arguments = dict(list(bound.items())[1:])
        ended = self._fits.store.end_of(self._number)
        if ended is not None and self._is_of_this_fit(ended):
            return self._skipped(original, ended)
        history = self._trained(original)
        self._keep_end()
        self._session.record(FitEnded, place=self.place)
        return history

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on from a snapshot."""
        return self._resumed is not None

    def train_begins(self, callbacks: list[Any]) -> None:
        """Keras has made its train function, and told the callbacks."""
        if self._step is not None:
            return
        self._callbacks = callbacks
        if self._resumed is not None and hasattr(self._model, "_initial_epoch"):
            # What BackupAndRestore put there is older than the snapshot, or newer: not the same.
            self._model._initial_epoch = None
        self._step = GuardedStep(
            self._model,
            self._model.train_function,
            self._session,
            place=lambda: self.place,
            callbacks=lambda: self._callbacks,
            batch_size=lambda: (self.position and self.position.batch_size) or 0,
            card=self._fits.card,
        )
        self._model.train_function = self._step

    def between(self, position: DataPosition, ahead: Ahead | None) -> None:
        """Between two steps."""
        self.place = place = Place(
            fit=self._number,
            epoch=position.epoch,
            step=position.step,
            total_steps=position.total_steps,
        )
        heartbeat = self._session.heartbeat
        heartbeat.beat("training", place.fit, place.epoch, place.step, place.total_steps)
        if ahead is None or self._step is None:
            return
        self._fits.allocator.look(place.total_steps)
        wish = heartbeat.wished()
        due = self._begun and (wish != "none" or self._fits.is_due())
        if due or not self._begun or self._step.rows is not None:
            self._in_hand(position, ahead, due)
        if wish == "leave":
            self._fits.writer.wait()
            leave(LEFT_AS_ASKED)
        if wish == "snapshot":
            heartbeat.wish("none")

    def _trained(self, original: Callable[..., Any]) -> Any:
        self._resumed = self._newest()
        initial = int(self._arguments.get("initial_epoch") or 0)
        saved = None
        if self._resumed is not None:
            self.place = place_of(self._resumed)
            initial = self.place.epoch
            saved = self._resumed.document["position"]
        self.position = DataPosition(
            self.between,
            initial_epoch=initial,
            saved=saved,
            seed=self._session.orders.seed,
            fit=self._number,
            skipping=self._session.heartbeat.alive,
        )
        try:
            return original(self._model, **{**self._arguments, "initial_epoch": initial})
        except BaseException as error:
            self._session.record(Failed, kind="exception", place=self.place, error=shortened(error))
            raise
        finally:
            if self._step is not None:
                self._model.train_function = self._step.native

    def _newest(self) -> Content | None:
        content = self._fits.store.newest(self._number)
        return content if content is not None and self._is_of_this_fit(content) else None

    def _is_of_this_fit(self, content: Content) -> bool:
        misfit = ModelState(self._model).misfit(model_arrays(content))
        if misfit:
            self._session.note(
                "inexact",
                f"the snapshot of fit call {self._number} belongs to another model: {misfit}. This "
                "call is trained from its beginning. Does the script build its model the same way "
                "each time?",
                fit=self._number,
            )
        return not misfit

    def _in_hand(self, position: DataPosition, ahead: Ahead, due: bool) -> None:
        """Take the next batches from the data before Keras does."""
        assert self._step is not None
        batches = []
        if _can_be_fed_back(ahead.iterator):
            batches = ahead.take()
            if not batches:
                return
            self._step.hold(batches, ahead.iterator.element_spec)
        if not self._begun:
            self._begin(position, ahead, batches)
            self._step.keep(self._copied(position, batches))
        elif due:
            self._step.keep(self._snapshot(position, batches))

    def _begin(self, position: DataPosition, ahead: Ahead, batches: list[Any]) -> None:
        """Before the first step of this process."""
        assert self._step is not None
        self._begun = True
        self._fits.begin(ModelState(self._model).size_bytes())
        if self._resumed is not None:
            self._restore(position, ahead, batches)
        if batches:
            self._choose_rows(batches[0])
        self._session.record(
            FitBegan,
            place=self.place,
            library=self._library,
            model=str(getattr(self._model, "name", "")),
            epochs=self._arguments.get("epochs", 1),
            steps_per_epoch=position.steps_per_epoch,
            batch_size=position.batch_size,
        )
        for sentence in [*position.inexact, *unsaved(self._callbacks)]:
            self._session.note("inexact", sentence, fit=self._number)

    def _choose_rows(self, batch: Any) -> None:
        assert self._step is not None
        card = self._fits.card
        first = first_rows(self._session.orders, self._number, self._model, batch, card)
        if card is not None:
            self._memory = Memory.here(self._model, batch, card)
        if first.rows is not None:
            self._step.split(first.rows)
            self._step.tell(first.rows, rows_of(batch), first.why)

    def _restore(self, position: DataPosition, ahead: Ahead, batches: list[Any]) -> None:
        content = self._resumed
        assert content is not None
        assert self._step is not None
        if ModelState(self._model).missing(model_arrays(content)):
            # tf_keras makes metrics and slots in the first step: take one, it is undone below.
            self._step.native(ahead.again() if batches else ahead.iterator)
        notes = put_back(content, self._model, self._callbacks, random=not position.draws_random)
        for sentence in notes:
            self._session.note("inexact", sentence, fit=self._number)
        expected = content.document["next_batch"]
        if expected and batches and fingerprint(batches) != expected:
            self._session.note(
                "inexact",
                f"the data of fit call {self._number} come in another order, or with other values, "
                "than before the interruption: the result will not be that of an undisturbed run. "
                "Give shuffling and augmentation a seed",
                fit=self._number,
            )
        self._resumed = None

    def _snapshot(self, position: DataPosition, batches: list[Any]) -> Content:
        began = time.monotonic()
        content = self._copied(position, batches)
        seconds = time.monotonic() - began
        self._fits.pacing.taken(time.monotonic(), seconds)
        self._fits.writer.submit(content, self.place, seconds)
        if self._step is not None:
            self._fits.log(self.place, self._step.last_logs)
        return content

    def _copied(self, position: DataPosition, batches: list[Any]) -> Content:
        return recorded(
            self._model,
            self._callbacks,
            self.place,
            position=position,
            next_batch=fingerprint(batches) if batches else "",
        )

    def _keep_end(self) -> None:
        """Write the end down; that of a call too short to pay for it can be trained again."""
        if self._step is not None and self._step.rows is not None and self._memory is not None:
            self._memory.keep(self._step.rows)
        pacing = self._fits.pacing
        if not pacing.affordable(time.monotonic()):
            return
        began = time.monotonic()
        content = recorded(self._model, self._callbacks, self.place)
        taking = time.monotonic() - began
        pacing.taken(time.monotonic(), taking)
        self._fits.writer.submit(content, self.place, taking, end=True)

    def _skipped(self, original: Callable[..., Any], ended: Content) -> Any:
        """Make the end of this call again, without training."""
        self.place = place_of(ended)
        history = ending.made_again(
            self._model, self._library, original, self._arguments, ended, self._session
        )
        self._session.record(
            FitBegan,
            place=self.place,
            library=self._library,
            model=str(getattr(self._model, "name", "")),
            epochs=self._arguments.get("epochs", 1),
            restored=True,
        )
        self._session.record(FitEnded, place=self.place)
        return history


def _can_be_fed_back(iterator: Any) -> bool:
    """Whether batches can be taken from it, and given to Keras again; not those of replicas."""
    import tensorflow as tf

    return isinstance(iterator, tf.data.Iterator)
