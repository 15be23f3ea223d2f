"""`Guard`: for training loops of the user's own."""

import time
from typing import Any

from fitguard.contract import optimizers
from fitguard.contract.libraries import library_of
from fitguard.keras.fitting.guarded_fits import GuardedFits
from fitguard.keras.fitting.step import leave
from fitguard.keras.fitting.wrapping import current_fits
from fitguard.keras.lone_session import LoneSession
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.model_state import ModelState
from fitguard.keras.state.randomness import read_random, write_random
from fitguard.keras.world import read_files, write_files
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import INEXACT, LEFT_AS_ASKED, FitBegan, FitEnded
from fitguard.schema.run import Place

_REPLICAS = (
    "the model has several replicas: where a step of the loop does not fit into memory, it is not "
    "taken in less"
)
_STEPS = "steps"
"""In the document of a snapshot of a loop; a `fit` has none."""


class Guard:
    """Keeps a loop alive that does not use `fit`.

    Under `fitguard run` it restores what an earlier attempt had saved, and saves between steps.
    Without `fitguard run` it does nothing, but for functions that are given to `step`.

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
        self._number = 0
        self._done = 0
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
        self._done = self.start
        library = library_of(model, "Model")
        if library is not None:
            self._fits.on_batch.follow(model, library, lambda: self._place(self._done))
        self._fits.session.record(
            FitBegan, place=self._place(self.start), library="loop", model=_name(model)
        )
        self._fits.company.read_wish(self._place(self.start))
        self._fits.session.heartbeat.change_answering(1)
        self._fits.sampler.begin()
        self._fits.sampler.meter.step_begins(self._place(self.start))

    def step(self, function: Any) -> Any:
        """The function to call in the loop: where it runs out of memory, the loop goes on.

        As long as all fits, your own function is called, and nothing else. Where it does not, its
        state is rolled back, and the same step is taken again: the batch stays whole, and part of
        the step is computed twice. Where that does not suffice, the batch is split, if its parts
        give the same step: see `fitguard.keras.micro_batch`.

        What can be rolled back is a call with more data than any before in this process. Later
        errors, and those of XLA, need `fitguard run`, which replaces the process.

        Args:
            function: A `tf.function` that computes gradients and applies them with the optimizer of
                this guard. All else that it changes is a variable.

        Raises:
            UsageError: for what is no `tf.function`, and where model or optimizer are not of Keras.

        Example:
            >>> guard = Guard(model, optimizer=optimizer)
            >>> train_step = guard.step(train_step)
        """
        if not hasattr(function, "get_concrete_function"):
            raise UsageError(
                f"Received a {type(function).__name__}. Expected a tf.function that makes a step: "
                "decorate it with @tf.function. What other Python code has done cannot be taken "
                "back."
            )
        from fitguard.keras.guarded_function import GuardedFunction
        from fitguard.keras.microbatch import require_trained

        model, fits = self._objects["model"], self._fits
        optimizer = self._objects["optimizer"] or getattr(model, "optimizer", None)
        require_trained(model, optimizer)
        session = fits.session if fits is not None else LoneSession()
        if model.distribute_strategy.num_replicas_in_sync > 1:
            session.note("micro-batch", _REPLICAS, fit=self._number)
            return function
        return GuardedFunction(
            function,
            self._objects,
            optimizer,
            session,
            lambda: self._place(self._done),
            wait=fits.writer.wait if fits is not None else lambda: None,
            may_retry=fits is None or fits.company.may_retry,
        )

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
        self._done = step + 1
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
