"""Where the training is in its data, and the way back there in a new process."""

import weakref
from collections.abc import Callable
from typing import Any, Literal, Protocol

from fitguard.keras.position.ahead import Ahead
from fitguard.keras.position.moment import Moment
from fitguard.keras.position.validation import Validation

EpochEnd = Literal["loop", "data"]
"""How the steps of an epoch ended: as many as planned, or no more data."""


class Between(Protocol):
    """Called between steps: before each step, and with None after the last of an epoch."""

    def __call__(self, position: "DataPosition", ahead: Ahead | None) -> Any: ...


class DataPosition:
    """The position in the training data of one guarded `fit`.

    Args:
        between: The hook.
        initial_epoch: Of the `fit` call; where `saved` is given, that counts instead.
        saved: What `read` gave in the process that died; None for a fresh start. `fit` must then
            be called with `initial_epoch=saved["epoch"]`.
        seed: Of the run, for orders that the script does not seed; None to leave them.
        fit: Number of the `fit` call.
        skipping: Called for each batch that is only read to come back: the process is alive.
        tracing: Called with the iterator before such data are read, where an undisturbed run traces
            its first step then: tracing may draw random numbers, and so may reading.

    Attributes:
        epoch: Number of the running epoch; the epochs before it are complete.
        step: Steps of the optimizer that are complete in it.
        total_steps: Steps that are complete in this `fit`.
        steps_per_epoch: None where the data do not tell.
        batch_size: None where the data do not tell.
        library: `keras` or `tf_keras`.
        steps_here: Steps that Keras has taken in this process.
        inexact: Why a resumed run may differ; known before the first step.
        notes: What else is worth a word: coming back takes time.
        refused: Why the data cannot be followed at all; empty where they can.
        draws_random: Whether reading the data changes Python's or NumPy's global generators.
            Where it does, their state in a snapshot means nothing, since threads read ahead: they
            are as they should be after the way back, and must be left so.
        sources: Random generators and iterators of which the same is true.
    """

    def __init__(
        self,
        between: Between,
        *,
        initial_epoch: int = 0,
        saved: dict[str, Any] | None = None,
        seed: int | None = None,
        fit: int = 1,
        skipping: Callable[[], None] | None = None,
        tracing: Callable[[Any], None] = lambda _: None,
    ) -> None:
        self.between = between
        self.saved = saved
        self.seed = seed
        self.fit = fit
        self.skipping = skipping or (lambda: None)
        self._tracing = tracing
        self.first_epoch: int = saved["first_epoch"] if saved else initial_epoch
        self.epoch: int = saved["epoch"] if saved else initial_epoch
        self.step = 0
        self.total_steps: int = saved["total_steps"] - saved["step"] if saved else 0
        self.executions = 0
        self.steps_here = 0
        self.ended: EpochEnd | None = None
        self.steps_per_epoch: int | None = None
        self.batch_size: int | None = None
        self.library = ""
        self.inexact: list[str] = []
        self.notes: list[str] = []
        self.draws_random: bool = bool(saved and saved["draws_random"])
        self.moment: Moment | None = None
        self.claimed = False
        self.refused = ""
        self.rest: dict[str, Any] = {"iterators": 0, "python": dict}
        self.sources: list[Any] = []
        self.validation = Validation(saved["validation"] if saved else None)

    def starts_at(self, epoch: int) -> None:
        """Before the first step: a callback has brought Keras to a later epoch than `fit` said."""
        self.first_epoch = self.epoch = epoch

    def reads_again(self, moment: Moment, iterator: Any) -> None:
        """Data are read again from this moment on."""
        if moment.epoch == self.first_epoch:
            self._tracing(iterator)

    def refuse(self, why: str) -> None:
        """The data of this `fit` cannot be followed: it is not guarded."""
        self.refused = why

    def read(self) -> dict[str, Any]:
        """The position as plain data, for a snapshot; good between steps.

        Where the data do not tell their size, first `take` the next batches: else it is not known
        whether the epoch is over, and Keras, resumed, would miss the logs of its last step.
        """
        return {
            "library": self.library,
            "first_epoch": self.first_epoch,
            "epoch": self.epoch,
            "step": self.step,
            "total_steps": self.total_steps,
            "executions": self.executions,
            "ended": self.ended,
            "draws_random": self.draws_random,
            "moment": vars(self.moment) if self.moment else None,
            "validation": self.validation.read(),
        }

    def read_end(self) -> dict[str, Any]:
        """What a later `fit` may find of this one in the data, for `pass_finished`."""
        return {**self.rest, "python": self.rest["python"](), "batches": self.total_steps}

    def weak_epoch(self) -> Callable[[], int]:
        """Answers with the running epoch, for a dataset that outlives the position."""
        weak = weakref.ref(self)

        def epoch() -> int:
            position = weak()
            return position.epoch if position is not None else 0

        return epoch

    def note_executed(self, steps: int) -> None:
        """One call of the train function is complete: so many steps of the optimizer."""
        self.executions += 1
        self.step += steps
        self.total_steps += steps

    def epoch_begins(self, epoch: int) -> None:
        self.epoch = epoch
        self.step = 0
        self.executions = 0
        self.ended = None

    def data_are_over(self) -> None:
        """The next batches were asked for, and there are none."""
        self.ended = "data"

    def epoch_over(self, ended: EpochEnd, rest: dict[str, Any]) -> None:
        """All steps of the epoch are complete; validation is next.

        Args:
            rest: What is left in the data.
        """
        self.ended = ended
        self.rest = rest
        self.between(self, None)


PositionOf = Callable[[], DataPosition | None]
"""The position of the guarded `fit` that runs in the calling thread, if any."""
