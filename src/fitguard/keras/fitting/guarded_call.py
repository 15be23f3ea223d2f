"""One guarded `fit` call: resume, snapshots between steps, the end."""

import functools
import inspect
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from fitguard.contract.compiling import forget_restored_epoch, read_restored_epoch
from fitguard.contract.hooks import Service
from fitguard.contract.libraries import Library
from fitguard.keras.fitting import ending, taking
from fitguard.keras.fitting.first_choice import FirstChoice
from fitguard.keras.fitting.learning_rate import with_learning_rate
from fitguard.keras.fitting.recording import (
    OtherModel,
    TrainingState,
    as_number,
    data_of,
    place_of,
)
from fitguard.keras.fitting.replicas import count_replicas
from fitguard.keras.fitting.resuming import describe_other_start, find_misfit, name_of, restore
from fitguard.keras.fitting.step import GuardedStep, leave
from fitguard.keras.fitting.taking import Taken
from fitguard.keras.position import (
    Ahead,
    DataPosition,
    assess_validation,
    can_be_fed_back,
    read_what_was_read,
    why_drawn_by_both,
    why_passed,
)
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.model_state import ModelState
from fitguard.keras.state.randomness import read_random
from fitguard.keras.traced import trace
from fitguard.monitor.beats import Wish
from fitguard.schema.journal import INEXACT, LEFT_AS_ASKED, FitBegan, FitEnded
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
                    train function     # <- GuardedStep: trace, read, step; out of memory
                    on_train_batch_end
                validation
                on_epoch_end           # <- logs into the journal
        fit ends                       # <- the end is kept: it is not trained again

    Args:
        number: Of the call, from 1.
    """

    def __init__(self, fits: "GuardedFits", number: int, library: Library, model: Any) -> None:
        self._fits = fits
        self._session = fits.session
        self._number = number
        self._library = library
        self._model = model
        self._state = TrainingState(model, ())
        self._pictured: Any = None
        self._resumed: Content | None = None
        self._begun = False
        self._started = 0.0
        self._step: GuardedStep | None = None
        self._arguments: dict[str, Any] = {}
        self._choice = FirstChoice(fits.session.orders, number, model, fits.card)
        self.place = Place(fit=number)
        self.position: DataPosition | None = None

    def run(
        self, original: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Train, from where the run was; or not at all, where this call has ended before."""
        try:
            bound = inspect.signature(original).bind(self._model, *args, **kwargs).arguments
        except TypeError:
            # Keras itself says best what is wrong.
            return original(self._model, *args, **kwargs)
        self._arguments = dict(list(bound.items())[1:])
        exact_only = self._session.orders.exact_only
        while True:
            saved = self._fits.find_saved(
                self._number,
                lambda content: find_misfit(content, self._model, exact_only=exact_only),
            )
            try:
                if saved is not None and saved.document["end"]:
                    return self._restore_end(original, saved)
                history = self._train(original, saved)
            except OtherModel as other:
                assert saved is not None
                self._fits.sources.step_back()
                self._fits.company.reject(saved, str(other))
            else:
                break
        if getattr(history, "epoch", ()):
            self._fits.assurance.first_step_done(self._library)
        if self._step is not None and self.position is not None:
            self._require_called(self._step, self.position)
        self._finish()
        return history

    @property
    def is_resumed(self) -> bool:
        """Whether it goes on from a snapshot."""
        return self._resumed is not None

    def train_begins(self, callbacks: list[Any]) -> None:
        """Keras has made its train function, and told the callbacks."""
        sources = self.position.sources if self.position is not None else []
        data = [*data_of(self._arguments), *sources]
        self._state = TrainingState(self._model, callbacks, data, self._fits.sources.list_changes())
        if self.position is not None and self.position.refused:
            self._fits.assurance.lacks(f"{Service.FIT}, because {self.position.refused}")
            return
        restored = read_restored_epoch(self._model)
        if self._resumed is not None:
            # What BackupAndRestore put there is older than the snapshot, or newer: not the same.
            forget_restored_epoch(self._model)
        elif restored and self.position is not None:
            self.position.starts_at(restored)
        self._step = GuardedStep(
            self._model,
            self._model.train_function,
            self._session,
            place=lambda: self.place,
            position=lambda: self.position,
            card=self._fits.card,
            wait=self._fits.writer.wait,
            why_whole=lambda: self._fits.assurance.why_whole(self._library),
            stepped=lambda: self._fits.assurance.first_step_done(self._library),
            may_retry=self._fits.company.may_retry,
        )
        self._model.train_function = self._step
        self._fits.sampler.follow(self._step)

    def between(self, position: DataPosition, ahead: Ahead | None) -> None:
        """Between two steps."""
        self.place = place = Place(
            fit=self._number,
            epoch=position.epoch,
            step=position.step,
            total_steps=position.total_steps,
        )
        meter = self._fits.sampler.meter
        meter.step_ends(place)
        self._fits.profiler.between(place)
        self._prepare_step(position, ahead)
        meter.step_begins(place)

    def _prepare_step(self, position: DataPosition, ahead: Ahead | None) -> None:
        heartbeat, place = self._session.heartbeat, self.place
        heartbeat.beat("training", place.fit, place.epoch, place.step, place.total_steps)
        wish = self._fits.company.read_wish(place)
        if ahead is None or self._step is None:
            return
        self._require_called(self._step, position)
        if self._model.train_function is not self._step:
            self._follow_train_function(self._step)
        if wish == "none" and self._resumed is None:
            self._await_call(self._step, position, ahead)
            return
        self._step.await_call(ahead)
        # At the end of data that do not tell their length, the next epoch begins first.
        if self._try_take_batches(position, ahead) and wish != "none":
            self._keep(self._take_snapshot(), position, ahead)
            self._answer(wish)

    def _require_called(self, step: GuardedStep, position: DataPosition) -> None:
        """Steps were taken: by the train function that Keras was given, or this is no guard."""
        if position.steps_here and not step.was_called:
            self._fits.assurance.not_called("model.train_function", self._library)

    def _await_call(self, step: GuardedStep, position: DataPosition, ahead: Ahead) -> None:
        """Plain Keras calls callbacks, then traces, then reads: a guarded fit does no other."""
        due = self._begun and self._fits.is_due(self.place)
        # Callbacks are called again for a step that is resumed: their state is that before.
        taken = self._take_snapshot() if due else None
        timed = self._begun and self._fits.sampler.meter.is_input_due()
        if taken is not None or step.needs_batches or timed:
            step.await_call(ahead, functools.partial(self._read_and_keep, taken, position, ahead))

    def _read_and_keep(self, taken: Taken | None, position: DataPosition, ahead: Ahead) -> None:
        """Keras is about to read the batches of the step."""
        drawn = taken is not None and read_random() != taken.content.document["random"]
        if self._try_take_batches(position, ahead):
            if taken is not None and not drawn:
                taken.content.document["random"] = read_random()
            self._keep(taken, position, ahead)

    def _answer(self, wish: Wish) -> None:
        """The snapshot that the parent wants was taken."""
        if wish == "leave":
            self._fits.writer.wait()
            if self._fits.company.may_leave(self.place):
                leave(LEFT_AS_ASKED)
        self._session.heartbeat.wish("none")

    def _follow_train_function(self, step: GuardedStep) -> None:
        """Callbacks that unfreeze layers have Keras make it anew."""
        native = self._model.train_function
        if native is not None:
            step.adopt(native)
            self._model.train_function = step

    def _train(self, original: Callable[..., Any], resumed: Content | None) -> Any:
        """Have Keras train, from where a snapshot was taken; `OtherModel` where that misfits."""
        self._resumed, self._begun, self.place = resumed, False, Place(fit=self._number)
        # One that is resumed has trained long enough for a snapshot.
        self._started = time.monotonic() if resumed is None else -math.inf
        initial = int(self._arguments.get("initial_epoch") or 0)
        saved = None
        if resumed is not None:
            self.place = place_of(resumed)
            initial = self.place.epoch
            saved = resumed.document["position"]
        read_what_was_read(self._arguments.get("x"), self._session.heartbeat.note_alive)
        self.position = DataPosition(
            self.between,
            initial_epoch=initial,
            saved=saved,
            seed=self._session.orders.seed,
            fit=self._number,
            skipping=self._session.heartbeat.note_alive,
            tracing=self._trace_again,
        )
        try:
            return original(self._model, **{**self._arguments, "initial_epoch": initial})
        except OtherModel:
            raise
        except Exception as error:
            self._session.record_failure(error, kind="exception", place=self.place)
            raise
        finally:
            if self._step is not None and self._model.train_function is self._step:
                self._model.train_function = self._step.native

    def _trace_again(self, iterator: Any) -> None:
        """Where the first step was traced after the data that are read again were new."""
        if self._step is not None:
            trace(self._step.native, iterator)

    def _try_take_batches(self, position: DataPosition, ahead: Ahead) -> bool:
        """Take the next batches from the data before Keras does; False where there are none."""
        assert self._step is not None
        batches, step = [], self._step
        is_new = self._resumed is None and self._pictured is not step.native
        if is_new:
            self._picture(step, ahead)
        needed = step.needs_batches
        if can_be_fed_back(ahead.source, at_a_cost=needed):
            batches = ahead.take()
            if self._begun:
                self._fits.sampler.meter.note_input(ahead.waited_seconds, batches)
            if not batches:
                return False
            step.hold(batches, ahead)
        if not self._begun:
            self._begin(position, ahead, batches)
        elif is_new and batches:
            # A callback has unfrozen layers, perhaps: it takes more memory now.
            self._choice.make(step, batches[0])
        return True

    def _picture(self, step: GuardedStep, ahead: Ahead) -> None:
        """What the step finds in Python objects when it is traced stays in its graph.

        A step that is taken back must find all variables that it may change.
        """
        self._pictured = step.native
        for sentence in self._state.step_is_made():
            self._note(sentence)
        trace(step.native, ahead.source)

    def _begin(self, position: DataPosition, ahead: Ahead, batches: list[Any]) -> None:
        """Before the first step of this process."""
        assert self._step is not None
        native, resumed = self._step.native, self._resumed is not None
        sizes = taking.read_sizes(position)
        if self._resumed is not None:
            notes = restore(self._resumed, self._state, native, position, ahead, self._model)
            notes += self._fits.company.describe_resized(self._resumed, **sizes)
            self._resumed, self._pictured = None, native
        else:
            notes = describe_other_start(self._session.events(), self.place)
        self._begun = True
        self._fits.begin(ModelState(self._model).size_bytes())
        if batches:
            self._choice.make(self._step, batches[0])
        self._announce(**sizes)
        for sentence in position.notes:
            self._session.note("data", sentence, fit=self._number)
        x, validation = (self._arguments.get(name) for name in ("x", "validation_data"))
        shared = [*assess_validation(x, validation), *why_passed(x)]
        shared += why_drawn_by_both(x, self._state.reached)
        inexact = [*notes, *shared, *position.inexact]
        self._fits.assurance.tell_inexact(inexact, self._number, resumed=resumed)

    def _announce(self, **more: Any) -> None:
        self._session.record(
            FitBegan,
            place=self.place,
            library=str(self._library),
            model=name_of(self._model),
            epochs=as_number(self._arguments.get("epochs", 1)),
            replicas=count_replicas(self._model),
            **more,
        )

    def _note(self, sentence: str) -> None:
        self._session.note(INEXACT, sentence, fit=self._number)

    def _take_snapshot(self, **more: Any) -> Taken | None:
        return taking.take(self._fits, self._model, self._state, self.place, **more)

    def _keep(self, taken: Taken | None, position: DataPosition, ahead: Ahead) -> None:
        """Have a snapshot written, now that the batch after it is known."""
        if taken is None:
            return
        taking.add_position(taken, position, ahead.batches)
        taking.write(self._fits, taken, self.place)
        if self._step is not None:
            self._fits.log(self.place, with_learning_rate(self._step.last_logs, self._model))
        # Some of it shows only while data are read, or when it has changed.
        for sentence in [*position.inexact, *self._state.describe_unsaved()]:
            self._note(sentence)

    def _finish(self) -> None:
        if not self._begun:
            self._announce()
        leaving = self._fits.company.is_leaving(self._number)
        self._keep_end(leaving)
        self._session.record(FitEnded, place=self.place)
        self._fits.company.call_ends(self._number)
        if leaving:
            self._answer("leave")

    def _keep_end(self, leaving: bool) -> None:
        """Write the end down; that of a call too short to pay for it can be trained again."""
        self._choice.remember(self._step)
        now, company, pacing = time.monotonic(), self._fits.company, self._fits.pacing
        is_worth = pacing.is_worth(now - self._started)
        if not leaving and not company.keeps_end(self._number, wanted=is_worth):
            self._fits.store.do_without(self._number)
        elif leaving or company.needs_ends or pacing.is_affordable(now):
            taken = self._take_snapshot(data=self._data_end())
            if taken is not None:
                taking.write(self._fits, taken, self.place, end=True)

    def _data_end(self) -> dict[str, Any] | None:
        position = self.position
        return position.read_end() if position is not None and position.claimed else None

    def _restore_end(self, original: Callable[..., Any], ended: Content) -> Any:
        """Make the end of this call again, without training; what `fit` returned.

        Raises:
            OtherModel: where the model, now that it is built, is another.
        """
        with self._fits.aside():
            changed = self._fits.sources.list_changes()
            notes = ending.restore_end(
                self._model, self._library, original, self._arguments, ended, changed
            )
        notes += self._fits.company.describe_resized(ended)
        self.place = place_of(ended)
        self._fits.assurance.tell_inexact(notes, self._number, resumed=True)
        self._announce(restored=True)
        self._session.record(FitEnded, place=self.place)
        self._fits.company.call_ends(self._number)
        return self._model.history
