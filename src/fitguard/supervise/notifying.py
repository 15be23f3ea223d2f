"""`--notify`: tells somebody, in threads of its own; a training never waits for it."""

import contextlib
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from fitguard.knowledge.secrets import hide_secrets
from fitguard.report.privacy.redaction import clean_strings, redact_here
from fitguard.report.privacy.walking import map_strings
from fitguard.schema.journal import AnyEvent
from fitguard.schema.notice import RunNotice
from fitguard.supervise.hook_thread import HookThread
from fitguard.supervise.notice_targets import (
    Target,
    Undelivered,
    as_variables,
    is_webhook,
    post_notice,
)
from fitguard.supervise.notices import NoticeWriter

_MOST_WAITING = 20
_COMMAND_SECONDS = 60.0
_FIRST_PAUSE_SECONDS = 2.0
_LONGEST_PAUSE_SECONDS = 300.0
_LEAVE_SECONDS = 2.0
_MOST_CHARACTERS = 300


class NoticeThread(HookThread):
    """Tells one target. Of notices that wait for it, the newest are kept.

    Args:
        target: See `notice_targets`.
        number: Of the target, from 1: its address is not for others to see.
        secrets: What no notice may hold.
    """

    def __init__(
        self,
        target: Target,
        number: int,
        secrets: Sequence[str],
        say: Callable[[str], None],
        spare: Callable[[int], None],
    ) -> None:
        kind = "webhook" if is_webhook(target) else "command"
        what = f"notice to --notify target {number} (a {kind})"
        super().__init__(f"fitguard-notify-{number}", what, say, spare)
        self._target: Any = target
        self._secrets = secrets
        self._waiting: deque[RunNotice] = deque(maxlen=_MOST_WAITING)
        self._again_at = 0.0
        self._pause = _FIRST_PAUSE_SECONDS

    def add(self, notice: RunNotice) -> None:
        """Tell this, soon."""
        self._waiting.append(notice)

    def _work(self) -> None:
        while self._waiting and self._is_due():
            notice = self._waiting.popleft()
            try:
                self._tell(_redact(notice, self._secrets))
                self._pause = _FIRST_PAUSE_SECONDS
            except Undelivered as error:
                self._fail(str(error))
                if error.later:
                    self._put_back(notice)
                    return

    def _is_due(self) -> bool:
        if self._ended.is_set():
            return not self._abandoned
        return time.monotonic() >= self._again_at

    def _put_back(self, notice: RunNotice) -> None:
        """Try again in a while, unless newer ones take all the room."""
        self._again_at = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
        if len(self._waiting) < _MOST_WAITING:
            self._waiting.appendleft(notice)

    def _tell(self, notice: RunNotice) -> None:
        if not isinstance(self._target, str):
            self._target(notice)
        elif is_webhook(self._target):
            post_notice(self._target, notice)
        else:
            self._tell_command(self._target, notice)

    def _tell_command(self, command: str, notice: RunNotice) -> None:
        content = msgspec.json.encode(notice) + b"\n"
        with tempfile.TemporaryFile() as output:
            variables = as_variables(notice)
            code = self._run_command(command, variables, output, content, _COMMAND_SECONDS)
            output.seek(0)
            said = output.read().decode(errors="replace").strip()[-_MOST_CHARACTERS:]
        if code != 0:
            shown = hide_secrets(said.replace(command, "<command>"))
            raise Undelivered(f"exit code {code}. {shown}", later=False)


class Notifier:
    """Tells all targets of the events of a run."""

    def __init__(
        self,
        targets: Sequence[Target],
        writer: NoticeWriter,
        say: Callable[[str], None],
        spare: Callable[[int], None],
    ) -> None:
        self._writer = writer
        addresses = [target for target in targets if is_webhook(target)]
        self._threads = [
            NoticeThread(target, number, addresses, say, spare)
            for number, target in enumerate(targets, start=1)
        ]
        for thread in self._threads:
            thread.start()

    def take(self, event: AnyEvent) -> None:
        """Called with each event of the parent; it never waits."""
        notice = self._writer.take(event)
        if notice is not None:
            for thread in self._threads:
                thread.add(notice)

    def finish(self, seconds: float, wait: Callable[[float], bool] = lambda _: False) -> None:
        """Let what is left be told, for so long at most."""
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.end()
        for thread in self._threads:
            thread.finish(max(0.0, until - time.monotonic()), wait)


@contextlib.contextmanager
def sending_notices(
    targets: Sequence[Target],
    writer: NoticeWriter,
    say: Callable[[str], None],
    spare: Callable[[int], None],
) -> Iterator[Notifier]:
    """Send them while it lasts."""
    notifier = Notifier(targets, writer, say, spare)
    try:
        yield notifier
    finally:
        notifier.finish(_LEAVE_SECONDS)


def _redact(notice: RunNotice, secrets: Sequence[str]) -> RunNotice:
    """Without private names and secrets; a script may have printed its environment."""

    def hide(text: str, _: str) -> str:
        for secret in secrets:
            text = text.replace(secret, "<secret>")
        return text

    return clean_strings(redact_here(map_strings(notice, hide)))
