"""Where a run can be seen from outside while it goes on: notices, metrics, scalars."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from fitguard.monitor.journal import now
from fitguard.supervise.desk import Desk

if TYPE_CHECKING:
    from fitguard.supervise.notifying import Notifier


@contextlib.contextmanager
def opening_outlets(desk: Desk) -> Iterator["Notifier | None"]:
    """Open those that the user wants; what sends notices, or None where nobody wants any."""
    with contextlib.ExitStack() as stack:
        if desk.options.is_shown:
            # Several workers on one machine would write to the same port, and folder.
            _serve_metrics(desk, stack)
            _write_board(desk, stack)
        yield _send_notices(desk, stack)


# What each of them needs is loaded only where it is wanted.


def _send_notices(desk: Desk, stack: contextlib.ExitStack) -> "Notifier | None":
    if not desk.options.notify:
        return None
    from fitguard.supervise.notices import NoticeWriter
    from fitguard.supervise.notifying import sending_notices

    writer = NoticeWriter(desk.folder.id, desk.command.as_given, now())
    sending = sending_notices(desk.options.notify, writer, desk.say, desk.orphans.spare)
    notifier = stack.enter_context(sending)
    desk.record.listen(notifier.take)
    return notifier


def _serve_metrics(desk: Desk, stack: contextlib.ExitStack) -> None:
    if desk.options.metrics is None:
        return
    from fitguard.monitor.prometheus.serving import format_address, serving_metrics

    host, port = desk.options.metrics
    try:
        port = stack.enter_context(serving_metrics((host, port), lambda: [desk.folder]))
    except OSError as error:
        desk.say(f"--metrics: {host}:{port} cannot be served: {error.strerror or error}.")
    else:
        desk.say(f"metrics for Prometheus: {format_address(host, port)}")


def _write_board(desk: Desk, stack: contextlib.ExitStack) -> None:
    logs = desk.options.tensorboard
    if logs is None:
        return
    from fitguard.supervise.board import writing_board

    stack.enter_context(writing_board(logs, desk.folder, desk.say, desk.orphans.spare))
