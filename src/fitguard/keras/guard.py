"""`Guard`: for training loops of the user's own."""

import time
from typing import Any

from fitguard.contract import optimizers
from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.fitting.step import leave
from fitguard.keras.fitting.wrapping import current_fits
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.model_state import ModelState
from fitguard.keras.state.randomness import read_random, write_random
from fitguard.keras.world import read_files, write_files
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import INEXACT, LEFT_AS_ASKED, FitBegan, FitEnded
from fitguard.schema.run import Place

_STEPS = "steps"
"""In the document of a snapshot of a loop; a `fit` has none."""


class Guard:
    """Keeps a loop alive that does not use `fit`.

    Under `fitguard run` it restores what an earlier attempt had saved, and saves between steps.
    Without `fitguard run` it does nothing.

    Saved are all variables of what it is given, and the random state of Python, NumPy, TensorFlow
    and Keras. Which data a step gets must follow from its number, or from that random state.

    Args:
        model: A Keras model.
        optimizer: Where the model was not compiled with it.
        more: Further models, optimizers, metrics or variables, each under a name.

    Attributes:
        start: Number of the first step that is to be done.

    Example:
        >>> guard = Guard(model, optimizer=optimizer)
        >>> for step in range(guard.start, steps):
        ...     train(batches[step])
        ...     guard.step_done(step)

    Raises:
        UsageError: where variables that were saved are not there yet.
    """

    def __init__(self, model: Any, optimizer: Any = None, **more: Any) -> None:
        self.start = 0
        self._fits = current_fits()
        self._objects = {"model": model, "optimizer": optimizer, **more}
        if self._fits is None or not self._fits.session.is_here:
            self._fits = None
            return
        _make_slots(model, optimizer)
        self._number = self._fits.next_number()
        saved = self._fits.find_saved(self._number, _find_misfit)
        if saved is not None:
            self._restore(saved, self._fits)
        self._fits.session.record(
            FitBegan, place=self._place(self.start), library="loop", model=_name(model)
        )
        self._fits.company.read_wish(self._place(self.start))
        self._fits.session.heartbeat.change_answering(1)
        self._fits.sampler.begin()
        self._fits.sampler.meter.step_begins(self._place(self.start))

    def step_done(self, step: int) -> None:
        """Call it behind each step, with its number.

        Raises:
            UsageError: for what is no number of a step.
        """
        if not isinstance(step, int) or isinstance(step, bool) or step < 0:
            raise UsageError(
                f"Received step_done({step!r}). Expected the number of the step that was just "
                "done, 0 or more: the variable of `for step in range(guard.start, steps)`."
            )
        if self._fits is None:
            return
        self._fits.sampler.meter.step_ends(self._place(step + 1))
        self._fits.profiler.between(self._place(step + 1))
        self._prepare_step(self._fits, step)
        self._fits.sampler.meter.step_begins(self._place(step + 1))

    def _prepare_step(self, fits: GuardedFits, step: int) -> None:
        heartbeat = fits.session.heartbeat
        heartbeat.beat("training", self._number, 0, step + 1, step + 1)
        wish = fits.company.read_wish(self._place(step + 1))
        if fits.is_due(self._place(step + 1)) or wish != "none":
            self._save(fits, step + 1)
        if wish == "leave":
            fits.writer.wait()
            if fits.company.may_leave(self._place(step + 1)):
                leave(LEFT_AS_ASKED)
        if wish == "snapshot":
            heartbeat.wish("none")

    def finish(self, steps: int) -> None:
        """Optional: the loop is done, and need not be done again where a later one dies."""
        if self._fits is None:
            return
        self._fits.profiler.end(self._place(steps))
        if self._fits.company.keeps_end(self._number):
            self._save(self._fits, steps, end=True)
        self._fits.company.call_ends(self._number)
        self._fits.session.record(FitEnded, place=self._place(steps))
        self._fits.session.heartbeat.change_answering(-1)
        self._fits.sampler.end()

    def _place(self, steps: int) -> Place:
        return Place(fit=self._number, step=steps, total_steps=steps)

    def _save(self, fits: GuardedFits, steps: int, *, end: bool = False) -> None:
        began = time.monotonic()
        content = Content(
            document={
                _STEPS: steps,
                "random": read_random(),
                "begun": fits.begun,
                "ended": fits.ended,
                "files": read_files(),
                **fits.company.describe(),
            },
            arrays=ModelState(self._objects).read(),
        )
        seconds = time.monotonic() - began
        fits.pacing.note_taken(time.monotonic(), seconds)
        fits.writer.submit(content, self._place(steps), seconds, end=end)

    def _restore(self, saved: Content, fits: GuardedFits) -> None:
        state = ModelState(self._objects)
        wrong = state.misfit(saved.arrays)
        missing = state.missing(saved.arrays)
        metrics = [name for name in missing if "metric" in name]
        if metrics:
            fits.session.note(
                INEXACT,
                "metrics that the model creates in its first step start over after a restart; the "
                "weights do not depend on them",
                fit=self._number,
            )
        if wrong:
            raise UsageError(f"{wrong} Expected what an earlier attempt of this run has saved.")
        if len(missing) > len(metrics):
            raise UsageError(
                f"Received objects without {', '.join(missing[:3])}, which an earlier "
                "attempt has saved. Expected all variables to exist when the Guard is made: build "
                "the model (give it an Input, or call it once) and pass optimizers and metrics."
            )
        state.write(saved.arrays)
        resized = fits.company.describe_resized(saved)
        for sentence in [*write_files(saved.document.get("files", {})), *resized]:
            fits.session.note(INEXACT, sentence, fit=self._number)
        write_random(saved.document["random"])
        self.start = int(saved.document[_STEPS])
        # A `fit` inside of the loop has the number that it had.
        fits.begun, fits.ended = saved.document["begun"], saved.document["ended"]


def _find_misfit(content: Content) -> str:
    return "" if _STEPS in content.document else "It is of a fit, and this is a loop."


def _make_slots(model: Any, optimizer: Any) -> None:
    """Optimizers make their variables in the first step: too late to restore them."""
    for one in (optimizer, getattr(model, "optimizer", None)):
        if one is not None:
            optimizers.build(one, model.trainable_variables)


def _name(model: Any) -> str:
    return str(getattr(model, "name", type(model).__name__))
