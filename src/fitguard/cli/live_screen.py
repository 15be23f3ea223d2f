"""A document that is drawn again and again on the whole terminal."""

import contextlib
import signal
from collections.abc import Iterator
from typing import TypeVar

import msgspec
from rich.console import Console
from rich.live import Live
from rich.text import Text

from fitguard.report.formats.text import print_document
from fitguard.schema.fleet import Fleet
from fitguard.schema.watch import Watch

_LEAST_LINES = 3

Shown = TypeVar("Shown", bound=Watch | Fleet)


def show_live(moments: Iterator[Shown]) -> Shown:
    """Draw each moment until there are no more, or Ctrl-C; the last one.

    The terminal is then as it was before.
    """
    console = Console(highlight=False)
    shown = next(moments)
    live = Live(_draw(shown, console), console=console, screen=True, auto_refresh=False)
    try:
        with _holding_interrupts():
            live.start(refresh=True)
        for shown in moments:
            with _holding_interrupts():
                live.update(_draw(shown, console), refresh=True)
    except KeyboardInterrupt:
        pass
    finally:
        with _holding_interrupts():
            live.stop()
    return shown


@contextlib.contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Ctrl-C waits until a drawing is whole: else nobody would give the terminal back."""
    asked: list[bool] = []
    before = signal.signal(signal.SIGINT, lambda *_: asked.append(True))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _draw(moment: Watch | Fleet, console: Console) -> Text:
    """The moment in the size of the terminal: the output has the lines that the rest leaves."""
    whole = _draw_all(moment, console)
    left_out = len(whole) - console.height
    if left_out > 0 and isinstance(moment, Watch):
        most = max(len(moment.output) - left_out, _LEAST_LINES)
        whole = _draw_all(msgspec.structs.replace(moment, output=moment.output[-most:]), console)
    return Text("\n").join(whole[: console.height])


def _draw_all(moment: Watch | Fleet, console: Console) -> list[Text]:
    with console.capture() as drawn:
        print_document(moment, console)
    return [Text.from_ansi(line) for line in drawn.get().rstrip("\n").split("\n")]
