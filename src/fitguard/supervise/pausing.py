"""Waiting between two attempts, from which the user can still call us away."""

import signal
import time
from typing import TYPE_CHECKING, Literal

from fitguard.supervise.desk import LEAVING, Desk

if TYPE_CHECKING:
    from fitguard.supervise.deciding import Next

Asked = Literal["interrupted", "preempted"]

_SLICE_SECONDS = 0.2
_ASKED: dict[int, Asked] = {
    signal.SIGINT: "interrupted",
    signal.SIGQUIT: "interrupted",
    signal.SIGTERM: "preempted",
    signal.SIGHUP: "preempted",
}


class Pause:
    """Waits; what was asked meanwhile is kept."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._asked: Asked | None = None

    def __call__(self, seconds: float) -> Asked | None:
        """Wait so long, or until somebody wants the run to end: what for."""
        until = time.monotonic() + seconds
        while self._asked is None:
            self._desk.lease.check()
            left = until - time.monotonic()
            for cancel in self._desk.take_cancels():
                self._asked = "preempted" if cancel in LEAVING else "interrupted"
            received = self._desk.inbox.wait(min(max(left, 0.0), _SLICE_SECONDS))
            if received is None and left <= 0:
                break
            if received is not None and not received.ignored:
                preempted = received.number in self._desk.options.preempt_signals
                asked = "preempted" if preempted else _ASKED.get(received.number)
                self._asked = self._asked or asked
        return self._asked

    def before(self, following: "Next") -> Asked | None:
        """Wait as a decision asks for."""
        if following.action != "wait-for-memory":
            return self(following.wait_seconds)
        from fitguard.environment.machine import view_machine
        from fitguard.supervise.waiting import wait_for_memory

        environment = {**self._desk.environment, **following.orders.environment}
        wait_for_memory(
            read=lambda: view_machine(environment).gpus,
            say=self._desk.say,
            needed_bytes=following.orders.memory_limit_bytes,
            share=following.needed_share,
            deadline_seconds=following.wait_seconds,
            sleep=lambda seconds: self(seconds) is not None,
        )
        return self._asked
