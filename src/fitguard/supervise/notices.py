"""Which events somebody wants to hear of, in words: pure, events in, notices out."""

from fitguard.schema.journal import (
    Alerted,
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    Decided,
    RunEnded,
)
from fitguard.schema.notice import NoticeEvent, RunNotice
from fitguard.schema.run_command import describe_resume, is_soak
from fitguard.words import count, duration


class NoticeWriter:
    """Makes notices of the events of one run, in their order.

    A death and what follows are one notice: both come in the same moment.

    Args:
        run: Id of the run.
        began: When, in seconds since 1970.
    """

    def __init__(self, run: str, command: tuple[str, ...], began: float) -> None:
        self._run = run
        self._command = command
        self._began = began
        self._attempts = 0
        self._ended: AttemptEnded | None = None
        self._decided = ""

    def take(self, event: AnyEvent) -> RunNotice | None:
        """The notice that an event makes; None for most."""
        if isinstance(event, AttemptStarted):
            self._attempts += 1
            self._ended, self._decided = None, ""
        elif isinstance(event, AttemptEnded):
            self._ended = event
        elif isinstance(event, Decided):
            self._decided = event.text
            if event.action != "stop":
                return self._build("restart", event, event.text, action=event.action)
        elif isinstance(event, Alerted):
            return self._build_alert(event)
        elif isinstance(event, RunEnded):
            return self._build_end(event)
        return None

    def _build_alert(self, event: Alerted) -> RunNotice:
        subject = f"{event.subject}: " if event.subject else ""
        fix = f" {event.fix.text}" if event.fix.text else ""
        return RunNotice(
            event="alert",
            run=self._run,
            time=event.time,
            attempt=event.attempt,
            text=f"{subject}{event.title}. {event.text}{fix}",
            command=self._command,
            cause=event.cause,
            code=event.code,
            severity=event.severity,
            place=event.place,
        )

    def _build_end(self, event: RunEnded) -> RunNotice:
        attempts = count(self._attempts, "attempt")
        lasted = f"after {duration(event.time - self._began)} and {attempts}"
        again = f"To continue: {describe_resume(self._run, self._command)}"
        what = "soak" if is_soak(self._command) else "training"
        broken_off = "left as asked" if is_soak(self._command) else "was interrupted"
        texts: dict[str, tuple[NoticeEvent, str]] = {
            "finished": ("finished", f"The {what} finished {lasted}."),
            "preempted": ("left", f"The {what} left as asked {lasted}. {again}"),
            "interrupted": ("left", f"The {what} {broken_off} {lasted}. {again}"),
        }
        given_up = self._decided or f"The {what} was given up {lasted}."
        kind, text = texts.get(event.state, ("gave-up", given_up))
        return self._build(kind, event, text, exit_code=event.exit_code)

    def _build(
        self,
        kind: NoticeEvent,
        event: AnyEvent,
        text: str,
        *,
        action: str = "",
        exit_code: int | None = None,
    ) -> RunNotice:
        ended = self._ended or AttemptEnded(time=event.time, outcome="running")
        return RunNotice(
            event=kind,
            run=self._run,
            time=event.time,
            attempt=ended.attempt or event.attempt,
            text=text,
            command=self._command,
            outcome=None if self._ended is None else ended.outcome,
            cause=ended.cause,
            why=ended.why,
            evidence=ended.evidence,
            action=action,
            place=ended.last,
            exit_code=exit_code,
        )
