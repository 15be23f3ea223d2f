"""One probe in a thread of its own: that it fails or hangs costs its own fact and nothing else."""

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from fitguard.schema.facts import FailedProbe

T = TypeVar("T")


class Probe(Generic[T]):
    """Starts to ask at once; `answer` waits for the rest of the time limit.

    The thread is a daemon: one that hangs in a broken driver does not keep the process alive.

    Args:
        name: What the failure is called.
        question: The function that finds the fact.
        limit_seconds: Counted from now.
    """

    def __init__(self, name: str, question: Callable[[], T], limit_seconds: float) -> None:
        self.failure: FailedProbe | None = None
        self._name = name
        self._limit_seconds = limit_seconds
        self._deadline = time.monotonic() + limit_seconds
        self._answers: list[T] = []
        self._problem: str | None = None
        self._thread = threading.Thread(
            target=self._ask, args=(question,), name=f"fitguard-probe-{name}", daemon=True
        )
        self._thread.start()

    def answer(self) -> T | None:
        """The fact, or None; then `failure` says why."""
        self._thread.join(max(0.0, self._deadline - time.monotonic()))
        if self._answers:
            return self._answers[0]
        problem = self._problem or f"no answer within {self._limit_seconds:g} s"
        self.failure = FailedProbe(self._name, problem)
        return None

    def _ask(self, question: Callable[[], T]) -> None:
        try:
            self._answers.append(question())
        except Exception as error:
            self._problem = f"{type(error).__name__}: {error}"
