"""How a child is made to leave: by a wish, then by signals that get stronger with time."""

import signal
import time
from collections.abc import Callable
from typing import Literal, Protocol

from fitguard.monitor.signals import STACKS_SIGNAL

Reason = Literal["interrupted", "preempted", "planned", "followed", "hung", "out-of-memory"]
"""`followed`: other workers left, or died, and it cannot go on without them."""

_STACKS_SECONDS = 1.0
_ABORT_SECONDS = 3.0
_LAST_SHARE = 0.8
"""Of the time of grace; then SIGTERM comes, for scripts that have a handler of their own."""
_INTERRUPT_COUNTS_SECONDS = 30.0
_STUCK_SECONDS = 30.0
_TOGETHER_SECONDS = 1.0
_LAST_WORDS_SECONDS = 1.0
"""For a training that cannot go on: often it fails by itself, and says why."""
_GROUP_SECONDS = 0.3
"""What was sent to all of a group has reached the child by then: it may be gone already."""

TERMINATING = (signal.SIGTERM, signal.SIGHUP)
_ESCALATION = (signal.SIGTERM, signal.SIGKILL)


class Mortal(Protocol):
    """What signals can be sent to."""

    def send(self, number: int) -> None: ...

    def ignores(self, number: int) -> bool: ...


class Departure:
    """Who wants one child to leave, and what comes if it does not.

    Args:
        child: The process.
        wish: Called to ask it for a snapshot, and to leave after it.
        grace_seconds: From that wish to SIGKILL.
        echoes: The head of a gang passes on what all of its group got: it comes twice then.

    Attributes:
        terminated: It was sent a signal that asks it to end, and does not ignore that.
    """

    def __init__(
        self,
        child: Mortal,
        wish: Callable[[], None],
        grace_seconds: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        echoes: bool = False,
    ) -> None:
        self._echoes = echoes
        self._child = child
        self._wish = wish
        self._grace_seconds = grace_seconds
        self._clock = clock
        self._plan: list[tuple[float, int]] = []
        self._interrupts = 0
        self._interrupted_at = 0.0
        self._asked_at = 0.0
        self._killed_at: float | None = None
        self._reason: Reason | None = None
        self._is_alone = False
        self.forwarded: set[int] = set()
        self.terminated = False

    @property
    def reason(self) -> Reason | None:
        """Why it leaves; an interrupt counts for some time only, as a script may go on after it."""
        if self._reason is None and self._interrupts:
            recent = self._clock() - self._interrupted_at < _INTERRUPT_COUNTS_SECONDS
            return "interrupted" if recent else None
        return self._reason

    @property
    def asked_seconds(self) -> float:
        """Since it was asked to leave; 0 where it was not."""
        return self._clock() - self._asked_at if self._asked_at else 0.0

    @property
    def stuck(self) -> bool:
        """Whether not even SIGKILL ended it: it waits inside of a driver."""
        killed = self._killed_at
        return killed is not None and self._clock() - killed > _STUCK_SECONDS

    def interrupt(self, number: int, *, forward: bool) -> int:
        """Ctrl-C: the first is the script's own business, then SIGTERM, then SIGKILL.

        Args:
            number: The signal that came.
            forward: Whether the child has not got it yet.

        Returns:
            What was sent; 0 for nothing.
        """
        before, self._interrupted_at = self._interrupted_at, self._clock()
        if self._echoes and self._interrupts and self._interrupted_at - before < _GROUP_SECONDS:
            return 0
        self._interrupts += 1
        if self._interrupts > 1 or self._reason is not None:
            self._reason = self._reason if self._reason == "preempted" else "interrupted"
            stronger = _ESCALATION[min(max(self._interrupts - 2, 0), 1)]
            return self._send(stronger)
        return self.forward(number) if forward else 0

    def forward(self, number: int) -> int:
        """Send on what only we got."""
        self.forwarded.add(number)
        return self._send(number)

    def leave(
        self,
        reason: Literal["preempted", "planned"],
        grace_seconds: float | None = None,
        *,
        at_once: int = 0,
    ) -> bool:
        """Take a snapshot and go; False where that had been asked before.

        A second SIGTERM kills, unless it comes with the first: `timeout` and batch systems send one
        to the process and one to its group. A planned restart is not worth a kill.

        Args:
            grace_seconds: In place of the usual ones.
            at_once: The signal for a child that has nothing to save; 0 for one that has.
        """
        if self._reason == "preempted":
            if self._clock() - self._asked_at > _TOGETHER_SECONDS:
                self._plan = [(self._clock(), signal.SIGKILL)]
            return False
        self._reason = reason
        self._asked_at = self._clock()
        self._wish()
        if reason == "preempted":
            grace = self._grace_seconds if grace_seconds is None else grace_seconds
            last = grace * _LAST_SHARE
            first = (_GROUP_SECONDS, at_once) if at_once else (last, signal.SIGTERM)
            self.terminated = at_once > 0 and not self._child.ignores(at_once)
            self._plan = self._schedule(first, (grace, signal.SIGKILL))
        return True

    def hurry(self) -> None:
        """It was asked for a snapshot, and has gone on to where it takes none."""
        if self._reason == "preempted" and self._plan and self._plan[0][1] != signal.SIGKILL:
            self._plan = [(self._clock(), self._plan[0][1]), *self._plan[1:]]

    def note_called(self) -> None:
        """All workers were told where they take a snapshot and leave."""
        if self.reason is None:
            self._reason = "followed"

    def follow(self) -> None:
        """Other workers are gone: it waits for them in vain, and takes no snapshot."""
        if self._is_alone or self._reason in ("hung", "out-of-memory"):
            return
        self._is_alone = True
        if self.reason in (None, "planned"):
            self._reason = "followed"
        self._plan = self._schedule((_LAST_WORDS_SECONDS, signal.SIGKILL))

    def note_too_late(self, reason: Literal["interrupted", "preempted"]) -> None:
        """It has ended already, so nothing is asked of it; but no other one shall follow."""
        self._reason = self._reason or reason

    def abort(self, reason: Literal["hung", "out-of-memory"]) -> None:
        """End what leads nowhere. A hang is made to tell what its threads do."""
        self._reason = reason
        if reason == "hung":
            self._plan = self._schedule(
                (0.0, STACKS_SIGNAL),
                (_STACKS_SECONDS, signal.SIGABRT),
                (_STACKS_SECONDS + _ABORT_SECONDS, signal.SIGKILL),
            )
        else:
            self._plan = self._schedule((0.0, signal.SIGKILL))

    def kill(self) -> None:
        """At once."""
        self._reason = self._reason or "interrupted"
        self._send(signal.SIGKILL)

    def press(self) -> None:
        """Send what is due."""
        while self._plan and self._plan[0][0] <= self._clock():
            self._send(self._plan.pop(0)[1])

    def _schedule(self, *steps: tuple[float, int]) -> list[tuple[float, int]]:
        now = self._clock()
        return [(now + seconds, number) for seconds, number in steps]

    def _send(self, number: int) -> int:
        if number == signal.SIGKILL and self._killed_at is None:
            self._killed_at = self._clock()
        if number in TERMINATING and not self._child.ignores(number):
            self.terminated = True
        self._child.send(number)
        return number
