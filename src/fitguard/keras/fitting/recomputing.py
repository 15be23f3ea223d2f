"""How far the step of a `fit` is recomputed, so that its whole batch fits."""

from typing import TYPE_CHECKING, Any

from fitguard.words import say_error

if TYPE_CHECKING:
    from fitguard.keras.fitting.recomputed_step import RecomputedStep
    from fitguard.memory.recomputing.recomputation import Recomputation

_SMALLER = 0.75
"""Of what did not fit, the next try takes so much."""
LEAST_SHARE = 0.1
_LONGEST = 300


class Recomputing:
    """The recomputed step of a model, if there is one.

    Args:
        model: Compiled.

    Attributes:
        step: Takes a whole batch; None while nothing is recomputed.
        failure: Why the step could not be changed, though it should have been; empty otherwise.
    """

    def __init__(self, model: Any) -> None:
        self._model = model
        self.step: RecomputedStep | None = None
        self.failure = ""
        self._share = 1.0
        self._element_spec: Any = None
        self._is_spent = False
        self._is_proven = False

    def describe_refusal(self) -> str:
        """Why the step cannot be recomputed: a sentence; empty where it can."""
        # TensorFlow must not be loaded before the script loads it.
        from fitguard.keras.fitting.recomputed_step import describe_not_recomputable

        return describe_not_recomputable(self._model)

    def find_smaller_share(self) -> float | None:
        """The share of memory to try next; None where the last one could not even be reached."""
        if self._is_spent:
            return None
        reached = self.way.share if self.way is not None else 1.0
        smaller = _SMALLER * min(reached, self._share)
        return smaller if reached <= self._share and smaller >= LEAST_SHARE else None

    @property
    def way(self) -> "Recomputation | None":
        """What is computed twice."""
        return self.step.way if self.step is not None else None

    def begin(self, share: float, batch: Any, element_spec: Any = None, of_bytes: int = 0) -> bool:
        """Recompute from now on; whether less memory can be had in this way.

        Args:
            of_bytes: What the share is of, where that was another batch; 0 for this one.
        """
        from fitguard.keras.fitting.recomputed_step import RecomputedStep
        from fitguard.memory.recomputing.recomputed import NothingToRecompute

        before, step = self.way, RecomputedStep(self._model, share, element_spec, of_bytes=of_bytes)
        try:
            step.prepare(batch)
        except NothingToRecompute:
            self._is_spent = True
            return False
        except Exception as error:  # code of the user's is traced
            self._give_up(error)
            return False
        if before is not None and step.way is not None and step.way.share >= before.share:
            self._is_spent = True
            return False
        self._share, self.step, self._element_spec = share, step, element_spec
        return True

    @property
    def wanted(self) -> float | None:
        """The share that was asked for; None where nothing is recomputed."""
        return self._share if self.step is not None else None

    @property
    def drawing(self) -> tuple[str, ...]:
        """Kinds of operations that draw other random numbers once the step is changed."""
        return self.step.drawing if self.step is not None else ()

    def stop(self) -> None:
        """Nothing is recomputed any more."""
        self.step, self._is_spent = None, True

    def take(self, batch: Any) -> Any:
        """Take a step; its logs."""
        assert self.step is not None
        logs = self.step(batch)
        self._is_proven = True
        return logs

    def drop_unproven(self, error: BaseException) -> bool:
        """Whether the error may come from the change: then the step is not recomputed any more.

        A step that was taken once in this way is right: what comes later is the user's.
        """
        if self.step is None or self._is_proven:
            return False
        self._give_up(error)
        return True

    def _give_up(self, error: BaseException) -> None:
        self.failure = say_error(error).splitlines()[0][:_LONGEST]
        self.stop()

    def renew(self) -> None:
        """The model has got another train function: its step is traced anew."""
        self._is_spent, self._is_proven, self.failure = False, False, ""
        if self.step is not None:
            from fitguard.keras.fitting.recomputed_step import RecomputedStep

            self.step = RecomputedStep(self._model, self._share, self._element_spec)
