"""All workers of a gang on one machine: one process starts them, and waits.

Each worker is `fitguard run` with a place in the gang; what they agree on, they agree on among
themselves. The head only starts again a guard that died, and passes signals on. When it dies
itself, the kernel tells the workers to leave.
"""

import os
import signal
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from fitguard.kernel import end_with_parent
from fitguard.schema.exit_codes import ExitCode, UsageError
from fitguard.supervise.child import Child
from fitguard.supervise.departure import TERMINATING
from fitguard.supervise.inbox import Inbox, Received, taking_signals
from fitguard.supervise.options import HEAD_VARIABLE
from fitguard.words import count

_LOOK_SECONDS = 0.2
_HOUR_SECONDS = 3600.0
_RESTARTS_PER_HOUR = 20
_STOP_SECONDS = 30.0
"""In which the others see by themselves that one has stopped."""
_ENDING = (*TERMINATING, signal.SIGINT, signal.SIGQUIT)


@dataclass
class _Worker:
    number: int
    environment: Mapping[str, str]
    child: Child | None = None
    deaths: deque[float] = field(default_factory=deque)
    is_done: bool = False


class Head:
    """Starts the workers, and stays until all have ended.

    Args:
        words: That start a worker, by its number and by whether it is started again.
        environments: Of each worker.
        preempt_signals: Numbers of those that mean what SIGTERM means.
        left: Exit code of a worker that was asked to leave.
        may_do_without: Whether the others go on when the guard of one dies again and again.
        say: Tells the user one line.
    """

    def __init__(
        self,
        words: Callable[[int, bool], Sequence[str]],
        environments: Sequence[Mapping[str, str]],
        *,
        preempt_signals: Collection[int],
        left: int,
        may_do_without: bool = False,
        say: Callable[[str], None],
    ) -> None:
        self._words = words
        self._workers = [_Worker(number, own) for number, own in enumerate(environments)]
        self._preempt_signals = preempt_signals
        self._left = left
        self._may_do_without = may_do_without
        self._say = say
        self._is_asked = False
        self._end_at: float | None = None
        self._codes: list[int] = []

    def run(self) -> int:
        """The exit code of the gang: 0, or that of the worker that failed first."""
        with taking_signals(self._preempt_signals) as inbox:
            try:
                for worker in self._workers:
                    self._start(worker, again=False)
                while not all(worker.is_done for worker in self._workers):
                    self._wait(inbox)
                    for worker in self._workers:
                        self._look(worker)
                    if self._end_at is not None and time.monotonic() > self._end_at:
                        self._end_others()
            except BaseException:
                self._send(signal.SIGTERM)
                raise
        own = [code for code in self._codes if code != self._left]
        return (own or self._codes or [ExitCode.FINE])[0]

    def _start(self, worker: _Worker, *, again: bool) -> None:
        environment = {**worker.environment, HEAD_VARIABLE: str(os.getpid())}
        worker.child = Child.start(self._words(worker.number, again), environment, ())

    def _wait(self, inbox: Inbox) -> None:
        received = inbox.wait(_LOOK_SECONDS)
        while received is not None:
            self._pass_on(received)
            received = inbox.wait(0)

    def _pass_on(self, received: Received) -> None:
        number = received.number
        if received.ignored or number in (signal.SIGCHLD, signal.SIGWINCH, signal.SIGCONT):
            return
        self._is_asked = self._is_asked or number in (*_ENDING, *self._preempt_signals)
        if received.to_us_alone:
            self._send(number)

    def _send(self, number: int) -> None:
        for worker in self._workers:
            if worker.child is not None and not worker.is_done:
                worker.child.send(number)

    def _look(self, worker: _Worker) -> None:
        status = worker.child.poll() if worker.child is not None and not worker.is_done else None
        if status is None:
            return
        if status.exit_code is None and not self._is_asked and self._may_start_again(worker):
            self._say(
                f"the process that guards worker {worker.number} died with {status.signal}. It is "
                "started again."
            )
            self._start(worker, again=True)
            return
        worker.is_done = True
        is_left_out = status.exit_code is None and not self._is_asked and self._may_do_without
        if is_left_out and not all(one.is_done for one in self._workers):
            self._say(
                f"the process that guards worker {worker.number} died with {status.signal}, too "
                "often to be started again. The others decide whether they go on without it."
            )
            return
        code = status.shell_code
        # A signal that all got, or that came from here, says nothing of what happened.
        if code == 0 or (status.exit_code is None and self._is_asked and self._codes):
            return
        self._codes.append(code)
        if code in (self._left, ExitCode.WRONG_USAGE, ExitCode.UNREADABLE_INPUT):
            self._end_others()  # the others would wait for it
        elif self._end_at is None:
            self._end_at = time.monotonic() + _STOP_SECONDS

    def _may_start_again(self, worker: _Worker) -> bool:
        now = time.monotonic()
        worker.deaths.append(now)
        while worker.deaths[0] < now - _HOUR_SECONDS:
            worker.deaths.popleft()
        return len(worker.deaths) <= _RESTARTS_PER_HOUR

    def _end_others(self) -> None:
        if not self._is_asked:
            self._is_asked = True
            self._send(signal.SIGTERM)


def leave_with_head(head: int) -> None:
    """Called by a worker: when the head dies, the kernel asks this process to leave."""
    end_with_parent(signal.SIGTERM)
    if os.getppid() != head:
        raise UsageError(
            f"Received {HEAD_VARIABLE}={head}, but that process is gone, or did not start this "
            "one. Expected that only `fitguard run --workers` sets it"
        )


def share_gpus(
    workers: int, environment: Mapping[str, str], say: Callable[[str], None]
) -> list[dict[str, str]]:
    """The variables of each worker: with GPUs, each gets as many of them as the others.

    Raises:
        UsageError: where there are fewer GPUs than workers.
    """
    # Loaded only now: NVML is asked once.
    from fitguard.environment.machine import show_only, view_machine

    gpus = view_machine(environment).gpus
    if not gpus:
        return [dict(environment) for _ in range(workers)]
    share = len(gpus) // workers
    if share == 0:
        raise UsageError(
            f"Received --workers {workers}, and {count(len(gpus), 'GPU')} to use here. Expected at "
            "most one worker for each GPU; with CUDA_VISIBLE_DEVICES=-1, they train without"
        )
    left_out = len(gpus) - share * workers
    rest = f"; {left_out} not used, because they cannot be shared evenly" if left_out else ""
    say(f"each of the {workers} workers gets {share} of {len(gpus)} GPUs{rest}.")
    parts = [gpus[number * share : (number + 1) * share] for number in range(workers)]
    return [{**environment, **show_only(part)} for part in parts]
